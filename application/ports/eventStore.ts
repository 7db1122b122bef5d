import type { DomainEvent } from '../../domain/shared/decider.ts';
import type { UndecodableEvent } from './faults.ts';
import type { Appended, ExpectedRevision, Subscription, SubscriptionOptions } from './eventLog.ts';

/**
 * Actor of an event. `id` is a relying party's UUID, a document number, an operator's id or a reactor's name; `-` when
 * unknown.
 */
export interface Actor {
  readonly kind: 'relyingParty' | 'device' | 'operator' | 'citizen' | 'system' | 'unknown';
  readonly id: string;
}

/** Set once, in `handleCommand`, on every event. */
export interface EventMetadata {
  /** ISO 8601, millisecond precision, UTC. */
  readonly time: string;
  readonly actor: Actor;
  /** The business process: for a session, its id. */
  readonly correlationId: string;
  /** The causing event or request. */
  readonly causationId: string;
  readonly requestId: string | null;
  /** Of a recorded event: encrypted, to be read with `decryptAddress` of the vault. */
  readonly ip: string | null;
}

/** An event to be appended. */
export interface NewEvent<Event extends DomainEvent = DomainEvent> {
  readonly id: string;
  readonly event: Event;
  readonly metadata: EventMetadata;
}

/** An event read back: upcast to its newest version, personal fields decrypted or replaced by placeholders. */
export interface RecordedEvent<Event extends DomainEvent = DomainEvent> {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  /** Read from the archive. */
  readonly archived?: true;
  readonly event: Event;
  readonly metadata: EventMetadata;
  /** The reason why this release cannot decode it; `event` has its type alone then. */
  readonly undecodable?: UndecodableEvent;
}

export interface EventSubscriptionOptions extends SubscriptionOptions<RecordedEvent> {
  /** Skips decryption: this subscriber sees placeholders for all personal fields. Default: false. */
  readonly withoutPersonalData?: boolean;
  /** Hands out events that cannot be decoded, marked `undecodable`, instead of ending with the error. Default: false. */
  readonly keepUndecodable?: boolean;
}

/** The log seen through the codec. Same semantics and errors as {@link EventLog}. */
export interface EventStore {
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  read(stream: string, from?: bigint): AsyncIterable<RecordedEvent>;
  subscribe(options: EventSubscriptionOptions): Subscription;
  head(): Promise<bigint | null>;
}
