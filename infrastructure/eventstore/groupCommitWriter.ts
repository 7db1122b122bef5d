import type pg from 'pg';
import type { Appended, EncodedEvent, ExpectedRevision } from '../../application/ports/eventLog.ts';
import { Overloaded, RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import { appendBatch, type PendingAppend } from './appendBatch.ts';
import type { CommittedBatch } from './catchUp.ts';
import { isRefusedStatement, isUniqueViolation } from './postgresErrors.ts';

export interface WriterOptions {
  /** The connection that writes; `null` while it is broken. */
  readonly connection: () => pg.Client | null;
  /** Discards a connection that did not answer or failed. */
  readonly dropConnection: (client: pg.Client, cause: unknown) => void;
  /** Length of the queue; beyond it `Overloaded`. */
  readonly queueLimit: number;
  /** Events per commit. */
  readonly maxBatchEvents: number;
  /** Looks for an earlier append with the same event ids: its result, if it was stored. */
  readonly findEarlier: (append: PendingAppend) => Promise<Appended | undefined>;
  /** Called for each commit, in commit order, before its appends are answered. */
  readonly onCommitted: (batch: CommittedBatch) => void;
}

export interface GroupCommitWriter {
  append(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  /** Fails all queued appends: the connection is gone. Those in flight fail by themselves. */
  failWaiting(cause: unknown): void;
  /** Refuses new appends; resolves when those accepted have been answered. */
  drain(): Promise<void>;
  readonly stats: WriterStats;
}

/** Counters since the start, and the current queue. */
export interface WriterStats {
  /** Appends waiting or in flight. */
  readonly waiting: number;
  readonly batches: number;
  readonly events: number;
  readonly conflicts: number;
}

/**
 * Parts off the oldest appends that may share a commit; the others keep their order. Appends to one stream share it only
 * when all of them expect any revision.
 *
 * @param mostEvents events in a commit, unless one append has more
 */
export function partBatch(
  queue: readonly PendingAppend[],
  mostEvents: number,
): { readonly batch: PendingAppend[]; readonly left: PendingAppend[] } {
  const batch: PendingAppend[] = [];
  const left: PendingAppend[] = [];
  /** Streams in this batch; `true`: another append may join, since all of them expect any revision. */
  const joinable = new Map<string, boolean>();
  let events = 0;
  let full = false;
  for (const append of queue) {
    const isAny = append.expected === 'any';
    const join = joinable.get(append.stream);
    full ||= batch.length > 0 && events + append.events.length > mostEvents;
    if (full || join === false || (join === true && !isAny)) {
      joinable.set(append.stream, false);
      left.push(append);
      continue;
    }
    joinable.set(append.stream, isAny);
    events += append.events.length;
    batch.push(append);
  }
  return { batch, left };
}

/**
 * Group commit: appends that arrive while a commit is in flight form the next one. No timer: a single append leaves at
 * once, and batches grow with load.
 */
export function createGroupCommitWriter(options: WriterOptions): GroupCommitWriter {
  const { queueLimit, maxBatchEvents, findEarlier, onCommitted } = options;
  let queue: PendingAppend[] = [];
  let inFlight = 0;
  /** Refused appends whose event ids are being looked up. */
  let lookups = 0;
  let scheduled = false;
  let draining: (() => void) | undefined;
  let closed = false;
  const counts = { batches: 0, events: 0, conflicts: 0 };

  function schedule(): void {
    if (scheduled || inFlight > 0 || queue.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void flush();
    });
  }

  async function flush(): Promise<void> {
    const client = options.connection();
    if (client === null) {
      failWaiting(undefined);
      return;
    }
    const { batch, left } = partBatch(queue, maxBatchEvents);
    queue = left;
    if (batch.length === 0) return;
    inFlight = batch.length;
    await commit(client, batch);
    inFlight = 0;
    schedule();
    settle();
  }

  function settle(): void {
    if (queue.length === 0 && inFlight === 0 && lookups === 0) draining?.();
  }

  async function commit(client: pg.Client, batch: readonly PendingAppend[]): Promise<void> {
    try {
      const { appended, committed } = await appendBatch(client, batch);
      counts.batches += 1;
      counts.events += committed.events.length;
      if (committed.events.length > 0) onCommitted(committed);
      batch.forEach((append, index) => {
        const result = appended[index];
        if (result) append.resolve(result);
        else void answerConflict(append);
      });
    } catch (error) {
      await commitFailed(client, batch, error);
    }
  }

  async function commitFailed(
    client: pg.Client,
    batch: readonly PendingAppend[],
    error: unknown,
  ): Promise<void> {
    const [first] = batch;
    if (!isRefusedStatement(error)) {
      for (const append of batch) append.reject(new Unavailable('eventStore', error));
      options.dropConnection(client, error);
    } else if (batch.length > 1) {
      // One append failed the batch: retried one by one, only that one fails.
      for (const append of batch) await commit(client, [append]);
    } else if (first !== undefined) {
      await answerRefused(first, error);
    }
  }

  function answerConflict(append: PendingAppend): Promise<void> {
    counts.conflicts += 1;
    return answerEarlier(append, new RevisionConflict(append.stream));
  }

  function answerRefused(append: PendingAppend, cause: unknown): Promise<void> {
    const refusal = new Error('The event log refused the events.', { cause });
    if (isUniqueViolation(cause)) return answerEarlier(append, refusal);
    append.reject(refusal);
    return Promise.resolve();
  }

  /** Answers with the result of an earlier append of the same events, or else with the refusal. */
  async function answerEarlier(append: PendingAppend, refusal: Error): Promise<void> {
    lookups += 1;
    try {
      const earlier = await findEarlier(append);
      if (earlier === undefined) append.reject(refusal);
      else append.resolve(earlier);
    } catch (error) {
      append.reject(error);
    }
    lookups -= 1;
    settle();
  }

  function failWaiting(cause: unknown): void {
    const failed = queue;
    queue = [];
    for (const append of failed) append.reject(new Unavailable('eventStore', cause));
    settle();
  }

  return {
    append: (stream, events, expected) =>
      new Promise((resolve, reject) => {
        if (closed || options.connection() === null) {
          reject(new Unavailable('eventStore'));
        } else if (queue.length + inFlight >= queueLimit) {
          reject(new Overloaded('appends'));
        } else {
          queue.push({ stream, events, expected, resolve, reject });
          schedule();
        }
      }),
    failWaiting,
    drain: () =>
      new Promise((resolve) => {
        closed = true;
        draining = resolve;
        settle();
      }),
    get stats() {
      return { waiting: queue.length + inFlight, ...counts };
    },
  };
}
