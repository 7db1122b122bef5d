import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type {
  Appended,
  EncodedEvent,
  ExpectedRevision,
  LoggedEvent,
} from '../../application/ports/eventLog.ts';
import { int4Array, int8Array, textArray, uuidArray } from './binaryArrays.ts';
import type { CommittedBatch } from './catchUp.ts';
import { announce, announcementChannel } from './commitFeed.ts';

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
export async function appendBatch(
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
