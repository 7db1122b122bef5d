import type { SignalType } from '../../../domain/oidcClient/signals.ts';
import type { Webhook, WebhookEventType } from '../../../domain/relyingParty/webhooks.ts';

/** A relying party that is told of events. */
export interface Subscriber {
  readonly relyingPartyId: string;
  readonly webhooks: readonly Webhook[];
  readonly sealsFor: readonly string[];
  readonly smartIdStatuses: boolean;
}

/** Relying parties that are active and have an address. */
export interface Subscribers {
  /** @throws Unavailable(database) */
  all(): Promise<readonly Subscriber[]>;
}

/** Deliveries to one address of a relying party. */
export interface WebhookQueue {
  readonly relyingPartyId: string;
  readonly address: string;
}

/** One event for one address. */
export interface WebhookMessage extends WebhookQueue {
  /** `webhook-id`: the same at each attempt. */
  readonly id: string;
  /** Events about the same thing are sent in their order. */
  readonly subject: string;
  readonly type: WebhookEventType | SignalType;
  /** JSON: as it is signed and sent; of a security event the claims that {@link Channel.open} completes. */
  readonly body: string;
}

/** A message that is being sent here; nobody else sends it meanwhile. */
export interface ClaimedMessage extends WebhookMessage {
  /** Failed attempts, without those before an outage of ours. */
  readonly attempts: number;
  /** Beginning of the day after which it is given up. */
  readonly since: Date;
}

/** WAITING: it is sent, again if need be; DEAD: no other attempt follows until it is sent again by hand. */
export const webhookStates = ['WAITING', 'DELIVERED', 'DEAD'] as const;

export type WebhookState = (typeof webhookStates)[number];

/** A message as its relying party and operators see it. */
export interface ShownMessage extends Pick<WebhookMessage, 'id' | 'address'> {
  readonly type: string;
  readonly state: WebhookState;
  readonly attempts: number;
  /** Reason of the last failure. */
  readonly reason: string | null;
  readonly since: Date;
  readonly triedAt: Date | null;
}

/** Messages shown at most. */
export const MESSAGES_SHOWN = 100;

/** Outcome of the last attempt at a message. */
export type Settlement =
  | { readonly state: 'DELIVERED' }
  | { readonly state: 'WAITING'; readonly reason: string; readonly nextAt: Date }
  | { readonly state: 'DEAD'; readonly reason: string };

/** Messages that are to be delivered, and those of the last days that were. Every method throws Unavailable(database). */
export interface WebhookOutbox {
  /** Keeps messages, in their order; those that are kept already stay. Those for an address that is gone are DEAD. */
  add(messages: readonly WebhookMessage[], now: Date): Promise<void>;
  /** Claims, for a while, the oldest waiting message of each of some subjects whose time has come. */
  claim(queue: WebhookQueue, now: Date): Promise<readonly ClaimedMessage[]>;
  /** Time from which {@link claim} may find something; null: nothing waits. */
  nextAt(queue: WebhookQueue, now: Date): Promise<Date | null>;
  settle(id: string, settlement: Settlement, now: Date): Promise<void>;
  /** Counts an attempt that nobody answered. @returns their number in a row, without those before an outage of ours */
  failed(queue: WebhookQueue, now: Date): Promise<number>;
  pause(queue: WebhookQueue, until: Date): Promise<void>;
  /** Forgets failures and pauses of the address. */
  answered(queue: WebhookQueue): Promise<void>;
  /** Notes that the address is gone: what comes later is DEAD, until something is sent again by hand. */
  gone(queue: WebhookQueue, at: Date): Promise<void>;
  /** Ends a page of what waits for the address and is not being sent. @returns what has ended; empty: nothing is left */
  end(queue: WebhookQueue, wanted: EndedMessages, now: Date): Promise<readonly ClaimedMessage[]>;
  /**
   * Finds addresses that do not answer and have had messages for longer than that, by the oldest message of each; not
   * those to which it is being sent.
   *
   * @param failures attempts in a row, at least, that nobody answered; none where the last was before an outage of ours
   */
  overdue(before: Date, failures: number, now: Date): Promise<readonly ClaimedMessage[]>;
  /** Forgets failures, pauses and the end (410) of all other addresses: they are registered no more. */
  keep(registered: readonly WebhookQueue[]): Promise<void>;
  /** Queues with messages whose time has come. */
  due(now: Date): Promise<readonly WebhookQueue[]>;
  /** Sends dead messages of a relying party again, from the beginning. @param id null: all. @returns queues concerned */
  revive(relyingPartyId: string, id: string | null, now: Date): Promise<readonly RevivedQueue[]>;
  /** The newest first, {@link MESSAGES_SHOWN} at most. */
  shown(relyingPartyId: string): Promise<readonly ShownMessage[]>;
  /** Removes what was settled long ago, and what nobody has fetched for as long. */
  tidy(now: Date): Promise<void>;
}

/** Messages that no other attempt follows. */
export interface EndedMessages {
  readonly reason: string;
  /** Time by which they waited. */
  readonly before: Date;
}

export interface RevivedQueue extends WebhookQueue {
  /** Ids of its messages. */
  readonly ids: readonly string[];
}

/** Persons and organizations that a relying party met in a session, so that it is told of their end. */
export interface Acquaintances {
  /** @param about a document number, or the register of an organization @throws Unavailable(database) */
  add(relyingPartyId: string, about: string): Promise<void>;
  /** Ids of relying parties. @throws Unavailable(database) */
  of(about: string): Promise<readonly string[]>;
}

/** Keys that messages to a relying party are signed with, in the forms of Standard Webhooks. */
export interface WebhookKey {
  /** `whsec_…`: HMAC-SHA-256. */
  readonly secret: string;
  /** `whpk_…`: Ed25519. */
  readonly publicKey: string;
  /** `whsk_…`. */
  readonly privateKey: string;
}

/** Keys of relying parties. Every method throws Unavailable(database). */
export interface WebhookKeys {
  /** Those in force, the newest first; the first one is made when there is none. */
  inForce(relyingPartyId: string, now: Date): Promise<readonly WebhookKey[]>;
  /** Makes new ones; those before stay in force until then. */
  rotate(relyingPartyId: string, now: Date, formerUntil: Date): Promise<WebhookKey>;
}

/** GONE: 410; REFUSED: it answered otherwise; UNREACHABLE: it did not answer, or is overloaded. */
export type SendOutcome =
  | { readonly kind: 'TAKEN' | 'GONE' }
  | { readonly kind: 'REFUSED' | 'UNREACHABLE'; readonly reason: string };

/** Kind of queues: who has one, and how its messages are sent. Every method throws Unavailable(database). */
export interface Channel {
  /** Queues there may be messages for. */
  queues(): Promise<readonly WebhookQueue[]>;
  /** Makes what sends messages of a queue now; null: no queue of this kind, or of nobody any more. */
  open(queue: WebhookQueue): Promise<((message: WebhookMessage) => Promise<SendOutcome>) | null>;
}

/** Sends one signed message; never rejects. The reason is shown to operators and the relying party. */
export type SendWebhook = (
  message: Pick<WebhookMessage, 'id' | 'address' | 'body'>,
  keys: readonly WebhookKey[],
) => Promise<SendOutcome>;
