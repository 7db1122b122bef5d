import type { SendOutcome, WebhookMessage, WebhookQueue } from '../../webhooks/ports/webhooks.ts';

/** Statuses of a stream (SSF 1.0 §8.1.2.1): events of a paused one are held, those of a disabled one dropped. */
export const streamStatuses = ['enabled', 'paused', 'disabled'] as const;

export type StreamStatus = (typeof streamStatuses)[number];

/** Delivery by push (RFC 8935). */
export interface PushDelivery {
  readonly endpointUrl: string;
  /** Sent with every request; null: none. */
  readonly authorizationHeader: string | null;
}

/** Stream of security events to an OpenID Connect client. */
export interface SignalStream {
  readonly streamId: string;
  readonly clientId: string;
  readonly relyingPartyId: string;
  readonly status: StreamStatus;
  /** Reason that the client gave for the status; null: none. */
  readonly reason: string | null;
  readonly description: string | null;
  /** Null: all that are supported. */
  readonly eventsRequested: readonly string[] | null;
  /** Null: the client polls (RFC 8936). */
  readonly push: PushDelivery | null;
}

/** Stream without where it is pushed to. */
export type ListedStream = Omit<SignalStream, 'push'>;

/** Settings of a stream that change. */
export type StreamChanges = Partial<Omit<SignalStream, 'streamId' | 'clientId' | 'relyingPartyId'>>;

/** Error of a client about an event it received (RFC 8936 §2.4.4). */
export interface SetError {
  readonly jti: string;
  readonly reason: string;
}

/** Streams, one of a client, and what waits on those that are polled. Every method throws Unavailable(database). */
export interface SignalStreams {
  all(): Promise<readonly ListedStream[]>;
  byId(streamId: string): Promise<SignalStream | null>;
  ofClient(clientId: string): Promise<SignalStream | null>;
  /** @returns false when the client has one */
  add(stream: SignalStream): Promise<boolean>;
  /**
   * Changes what is named of it: what waits is held, dropped or sent as its status and delivery say, for a day from the
   * end of a hold. Failures and the end (410) of an endpoint are forgotten when the delivery changes, or a hold.
   *
   * @returns it as it is then; null: the client has it no more
   */
  change(
    stream: Pick<SignalStream, 'streamId' | 'clientId'>,
    changes: StreamChanges,
    now: Date,
  ): Promise<SignalStream | null>;
  /** Removes it with all that waits. */
  remove(stream: SignalStream): Promise<void>;
  /**
   * Stops events about a citizen, or has them sent again.
   *
   * @param sub pairwise identifier at the client
   * @returns false when as many as there may be were removed before
   */
  setRemoved(streamId: string, sub: string, isRemoved: boolean): Promise<boolean>;
  isRemoved(streamId: string, sub: string): Promise<boolean>;
  /** Counts a verification. @returns false when one was counted after that time */
  admitVerification(streamId: string, now: Date, after: Date): Promise<boolean>;
  /** The oldest messages of a queue that were not acknowledged, in their order. */
  waiting(queue: WebhookQueue, limit: number): Promise<readonly WebhookMessage[]>;
  /** Settles messages of a queue; ids of others, and those settled before, change nothing. */
  acknowledge(
    queue: WebhookQueue,
    taken: readonly string[],
    refused: readonly SetError[],
    now: Date,
  ): Promise<void>;
}

/** Sends a security event token by push (RFC 8935); never rejects. */
export type PushSet = (set: string, delivery: PushDelivery) => Promise<SendOutcome>;

const prefix = 'ssf:';

/** Queue of a stream beside those of webhooks: it stays the same when the delivery changes. */
export function queueOf({
  relyingPartyId,
  streamId,
}: Pick<SignalStream, 'relyingPartyId' | 'streamId'>): WebhookQueue {
  return { relyingPartyId, address: `${prefix}${streamId}` };
}

/** Reads the stream_id of a queue's address; null: a queue of another kind. */
export function streamIdIn({ address }: Pick<WebhookQueue, 'address'>): string | null {
  return address.startsWith(prefix) ? address.slice(prefix.length) : null;
}

/** True when nothing is sent on a stream for now. @param stream.push null: the client polls */
export function isHeld({
  push,
  status,
}: Pick<SignalStream, 'status'> & { readonly push: unknown }): boolean {
  return push === null || status !== 'enabled';
}
