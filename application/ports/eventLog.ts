/** An event stored verbatim: text in, the same text out, byte for byte. */
export interface EncodedEvent {
  /** Lower-case UUID, unique in the log. */
  readonly id: string;
  readonly type: string;
  /** JSON text; personal fields encrypted. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
  /**
   * Attachment of the codec, for subscribers in the same process: an adapter passes it on with the event or drops it,
   * and never stores it.
   */
  readonly note?: object;
}

export interface LoggedEvent extends EncodedEvent {
  readonly stream: string;
  /** Revision in its stream, from 0. */
  readonly revision: bigint;
  /** Position in the whole log: opaque except for its order. */
  readonly position: bigint;
  /** Read from the archive: no read model that lists such things has it. */
  readonly archived?: true;
}

/** Writer's knowledge of the stream: it does not exist, nothing, or the revision of its last event. */
export type ExpectedRevision = 'none' | 'any' | bigint;

export interface Appended {
  /** Revision of the last event appended. */
  readonly revision: bigint;
  /** Position of the last event appended. */
  readonly position: bigint;
}

export interface SubscriptionOptions<Event> {
  /** Deliver events after this position; `null`: from the beginning. */
  readonly after: bigint | null;
  /** Only streams of these categories (`session`, …); omitted: all of ours. */
  readonly categories?: readonly string[];
  /**
   * Filter of committed events of these categories, before decoding; false skips the event, permanently: a later reader
   * of its stream must read it from the log.
   */
  readonly wants?: (stream: string) => boolean;
  /** Interval at which a position is reported while only other events pass, ms; default 10. */
  readonly reportEveryMs?: number;
  /** Largest batch; default 1000. */
  readonly maxBatch?: number;
  /**
   * Called with consecutive batches, in order, never two at a time: the next waits for this promise. A rejection stops
   * the subscription, which reports through `onStopped`.
   *
   * @param events may be empty when only `position` advanced
   * @param position checkpoint: everything up to here was delivered or filtered out
   */
  readonly onBatch: (events: readonly Event[], position: bigint) => Promise<void>;
  /** Called each time the subscription has delivered everything available. */
  readonly onCaughtUp?: () => void;
  /** Called once when the subscription ended by itself: `onBatch` failed, or the store refused permanently. */
  readonly onStopped?: (cause: unknown) => void;
}

export interface Subscription {
  /** Stops delivering; resolves when the last `onBatch` has returned. */
  stop(): Promise<void>;
}

/**
 * The append-only log of encoded events. Adapters: in memory, PostgreSQL, EventStoreDB; all pass
 * `test/contracts/eventLogContract.ts`.
 */
export interface EventLog {
  /**
   * Appends all `events` to `stream`, or none; resolved means durable.
   *
   * @throws RevisionConflict when the stream is not at `expected`
   * @throws Unavailable during an outage of the store; whether the events were stored is then unknown
   * @throws Overloaded when the queue is full; nothing was stored
   */
  append(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  /** The stream's events from revision `from` (default 0) in order; none when the stream does not exist. */
  read(stream: string, from?: bigint): AsyncIterable<LoggedEvent>;
  /** Catches up from a position, then delivers live: in order, no gap, no duplicate. Reconnects by itself. */
  subscribe(options: SubscriptionOptions<LoggedEvent>): Subscription;
  /**
   * Upper bound of the positions of all events appended by now, which subscriptions reach, and no greater than any
   * position reported; `null` for an empty log. Found in constant time: may be the position of an event of the server
   * itself.
   */
  head(): Promise<bigint | null>;
}
