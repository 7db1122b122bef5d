/** An event as the log keeps it: text in, the same text out, byte for byte. */
export interface EncodedEvent {
  /** Lower-case UUID, unique in the log. */
  readonly id: string;
  readonly type: string;
  /** JSON text; personal fields already encrypted. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
  /** The codec's own, for subscribers in the same process: an adapter hands it on with the event or drops it, and never stores it. */
  readonly note?: object;
}

export interface LoggedEvent extends EncodedEvent {
  readonly stream: string;
  /** Place in its stream, from 0. */
  readonly revision: bigint;
  /** Place in the whole log: opaque but for its order. */
  readonly position: bigint;
}

/** What the writer knows of the stream: that it does not exist, nothing, or the revision of its last event. */
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
  /** At most this many events in a batch; default 1000. */
  readonly maxBatch?: number;
  /**
   * Called with consecutive batches, in order, never two at a time: the next waits for this promise.
   * When it rejects the subscription stops and reports through `onStopped`.
   *
   * @param events may be empty when only `position` moved on
   * @param position everything up to here was delivered or filtered out: the checkpoint
   */
  readonly onBatch: (events: readonly Event[], position: bigint) => Promise<void>;
  /** Called each time the subscription has delivered everything there is. */
  readonly onCaughtUp?: () => void;
  /** Called once when the subscription ended by itself: `onBatch` failed, or the store refused for good. */
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
   * @throws Unavailable when the store cannot be reached; whether the events were stored is then unknown
   * @throws Overloaded when too many appends are waiting; nothing was stored
   */
  append(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  /** The stream's events from revision `from` (default 0) in order; nothing when the stream does not exist. */
  read(stream: string, from?: bigint): AsyncIterable<LoggedEvent>;
  /** Catches up from a position, then delivers live: in order, no gap, no duplicate. Reconnects by itself. */
  subscribe(options: SubscriptionOptions<LoggedEvent>): Subscription;
  /** Position of the newest event; `null` when the log is empty. */
  head(): Promise<bigint | null>;
}
