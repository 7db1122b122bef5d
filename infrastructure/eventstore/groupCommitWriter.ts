import type pg from 'pg';
import type {
  Appended,
  EncodedEvent,
  ExpectedRevision,
  LoggedEvent,
} from '../../application/ports/eventLog.ts';
import { Overloaded, RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import type { CommittedBatch } from './catchUp.ts';
import { isRefusedStatement, isUniqueViolation } from './postgresErrors.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { int4Array, int8Array, textArray, uuidArray } from './binaryArrays.ts';
import { announce, announcementChannel } from './postgresConnections.ts';

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

/** A queued append. */
export interface PendingAppend {
  readonly stream: string;
  readonly events: readonly EncodedEvent[];
  readonly expected: ExpectedRevision;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOutcome {
  /** In the order of the appends given; `null`: the stream was not at its expected revision. */
  readonly appended: readonly (Appended | null)[];
  readonly committed: CommittedBatch;
}

const ANY = -2n;
const NONE = -1n;

/** SQL that announces the commit, before the function notifies of its position, and evaluates to the argument. */
const announcing = (argument: string, text: string) =>
  `case when pg_notify('${announcementChannel}', ${text}) is not null then ${argument} end`;

const SQL = `select previous::text, array_to_string(heads, ',') from append_events(
  ${announcing('$1::text[]', '$10')}, $2::bigint[], $3::int[], $4::text[], $5::int[], $6::uuid[], $7::text[], $8::text[], $9::text[])`;

/**
 * Stores the appends in one transaction and one round trip; resolved means durable. Appends to the same stream may
 * share a batch only when all of them expect `any`.
 */
async function appendBatch(
  client: pg.Client,
  appends: readonly PendingAppend[],
): Promise<BatchOutcome> {
  const [first] = appends;
  const [only] = first?.events ?? [];
  if (first !== undefined && only !== undefined && appends.length + first.events.length === 2) {
    return appendOne(client, first, only);
  }
  const streams = new Map<string, { index: number; count: number }>();
  const expected: bigint[] = [];
  const owners: number[] = [];
  const offsets: number[] = [];
  const events: EncodedEvent[] = [];
  const eventStreams: string[] = [];
  const places: { index: number; before: number }[] = [];

  for (const append of appends) {
    let stream = streams.get(append.stream);
    if (stream === undefined) {
      stream = { index: streams.size, count: 0 };
      streams.set(append.stream, stream);
      expected.push(numberOf(append.expected));
    }
    places.push({ index: stream.index, before: stream.count });
    for (const event of append.events) {
      stream.count += 1;
      owners.push(stream.index + 1);
      offsets.push(stream.count);
      events.push(event);
      eventStreams.push(append.stream);
    }
  }

  const result = await client.query<[previous: string, heads: string]>({
    name: 'append_events',
    text: SQL,
    rowMode: 'array',
    values: [
      textArray([...streams.keys()]),
      int8Array(expected),
      int4Array(owners),
      textArray(eventStreams),
      int4Array(offsets),
      uuidArray(events.map(({ id }) => id)),
      textArray(events.map(({ type }) => type)),
      textArray(events.map(({ data }) => data)),
      textArray(events.map(({ metadata }) => metadata)),
      announce(appends),
    ],
  });
  const row = result.rows[0];
  if (row === undefined) throw new Error('append_events returned nothing.');
  const previous = BigInt(row[0]);
  const heads = row[1].split(',').map(BigInt);

  let position = previous;
  const logged: LoggedEvent[] = [];
  const appended = appends.map((append, at) => {
    const { index, before } = places[at] ?? { index: -1, before: 0 };
    const head = heads[index] ?? NONE;
    const wanted = expected[index] ?? ANY;
    if (wanted !== ANY && wanted !== head) return null;
    let revision = head + BigInt(before);
    for (const event of append.events) {
      revision += 1n;
      position += 1n;
      logged.push({ ...event, stream: append.stream, revision, position });
    }
    return { revision, position };
  });
  return { appended, committed: { previous, last: position, events: logged } };
}

/** bytes of an event that is tried only: more than what the last page of a table may have left. */
const TRIED_BYTES = 100_000;

/** Appends an event and takes it back, nothing of which is seen. @throws whatever an append would be refused with */
export async function tryAppend(client: pg.Client): Promise<void> {
  const id = randomUUID();
  const data = randomBytes(TRIED_BYTES / 2).toString('hex');
  const append: PendingAppend = {
    stream: `try-${id}`,
    expected: 'none',
    events: [],
    resolve: () => undefined,
    reject: () => undefined,
  };
  await client.query('begin');
  await appendOne(client, append, { id, type: 'Tried', data, metadata: '{}' });
  await client.query('rollback');
}

/** Fast path for one event: building arrays would take most of its time. */
async function appendOne(
  client: pg.Client,
  { stream, expected }: PendingAppend,
  event: EncodedEvent,
): Promise<BatchOutcome> {
  const { id, type, data, metadata } = event;
  const wanted = numberOf(expected);
  const result = await client.query<[string]>({
    name: 'append_event',
    text: `select append_event(${announcing('$1::text', '$7')}, $2, $3, $4, $5, $6)`,
    rowMode: 'array',
    values: [stream, wanted, id, type, data, metadata, announce([{ stream, events: [event] }])],
  });
  const [previous, head] = (result.rows[0]?.[0] ?? '').split(',').map(BigInt);
  if (previous === undefined || head === undefined) {
    throw new Error('append_event returned nothing.');
  }
  if (wanted !== ANY && wanted !== head) {
    return { appended: [null], committed: { previous, last: previous, events: [] } };
  }
  const position = previous + 1n;
  const revision = head + 1n;
  const logged: LoggedEvent = { ...event, stream, revision, position };
  return {
    appended: [{ revision, position }],
    committed: { previous, last: position, events: [logged] },
  };
}

function numberOf(expected: ExpectedRevision): bigint {
  if (expected === 'any') return ANY;
  if (expected === 'none') return NONE;
  return expected;
}

/** @throws TypeError for an append without events or stream name: a programming error */
export function assertAppendable(stream: string, events: readonly EncodedEvent[]): void {
  if (stream === '') throw new TypeError('A stream needs a name.');
  if (events.length === 0) throw new TypeError('An append needs at least one event.');
}
