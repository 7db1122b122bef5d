import { randomUUID } from 'node:crypto';
import { type AllPage, type AllQuery, readAllBackward, readAllForward } from './allReads.ts';
import { checkCommit, DELETED, NO_STREAM, type StreamState } from './commitCheck.ts';
import {
  type AppendDecision,
  type EventFilter,
  type Expectation,
  lowerBound,
  type Proposal,
  type StoredEvent,
} from './storedEvents.ts';
import { readStream, type Stream, type StreamPage, type StreamQuery } from './streamReads.ts';

/** Past what a double-precision number holds exactly: positions that go through Number somewhere come back wrong. */
const FIRST_POSITION = 9_007_199_254_740_993n;
const UNLIMITED = 2n ** 63n - 1n;
/** Bytes of a record beside names and contents. */
const RECORD_OVERHEAD = 80;
const TICKS_PER_MS = 10_000n;

export type StoredLog = ReturnType<typeof createStoredLog>;

/**
 * The log of a cluster. Reads take `visible`: how many of its records the node that is asked has.
 *
 * @param copied records of another, which this one begins with
 */
export function createStoredLog(copied: readonly StoredEvent[] = []) {
  let records: StoredEvent[] = [];
  const streams = new Map<string, Stream>();
  /** Event ids by which the server recognizes repeated appends. */
  const recentIds = new Map<string, { readonly stream: string; readonly revision: bigint }>();
  let writer = FIRST_POSITION;
  let scavengedBefore = 0n;

  function streamOf(name: string): Stream {
    const found = streams.get(name);
    if (found !== undefined) return found;
    const created = { events: [], last: NO_STREAM, truncateBefore: 0n, maxCount: UNLIMITED };
    streams.set(name, created);
    return created;
  }

  function eventAt(name: string, revision: bigint): StoredEvent | undefined {
    const events = streams.get(name)?.events ?? [];
    const event = events[lowerBound(events, (other) => other.revision < revision)];
    return event?.revision === revision ? event : undefined;
  }

  function stateOf(name: string): StreamState {
    const stream = streams.get(name);
    return {
      name,
      current: stream?.last ?? NO_STREAM,
      isSoftDeleted: stream?.truncateBefore === DELETED,
      hasMetadata: (streams.get(`$$${name}`)?.last ?? NO_STREAM) >= 0n,
      recent: (id) => recentIds.get(id),
      idAt: (revision) => eventAt(name, revision)?.id,
      // The server reads the event to tell its position, as any reader: what is truncated has none.
      repeated(revision) {
        const query = { from: revision, maxCount: 1, isBackwards: false };
        const page = readStream(stream, writer, query);
        const event = typeof page === 'string' ? undefined : page.events[0];
        return { kind: 'success', revision, position: event?.position ?? null };
      },
    };
  }

  function append(
    name: string,
    proposals: readonly Proposal[],
    expected: Expectation,
  ): AppendDecision {
    const state = stateOf(name);
    const decision = checkCommit(state, proposals, expected);
    if (decision !== 'ok') return decision;
    for (const proposal of proposals) write(name, proposal, streamOf(name).last + 1n);
    const { last } = streamOf(name);
    const position = records.at(-1)?.position ?? null;
    // A soft-deleted stream that is written to begins anew with what was written.
    if (state.isSoftDeleted) setMetadata(name, { $tb: Number(state.current + 1n) });
    return { kind: 'success', revision: last, position };
  }

  function write(name: string, proposal: Proposal, revision: bigint): void {
    const { type, data, customMetadata } = proposal;
    const bytes = name.length + type.length + data.length + customMetadata.length;
    const next = writer + BigInt(RECORD_OVERHEAD + bytes);
    const created = BigInt(Date.now()) * TICKS_PER_MS;
    keep({ ...proposal, stream: name, revision, position: writer, next, created });
  }

  function keep(event: StoredEvent): void {
    const { stream: name, revision, data } = event;
    writer = event.next;
    records.push(event);
    const stream = streamOf(name);
    stream.events.push(event);
    stream.last = revision;
    recentIds.set(event.id, { stream: name, revision });
    if (name.startsWith('$$')) applyMetadata(name.slice(2), data);
  }

  function applyMetadata(name: string, data: Uint8Array): void {
    const metadata = JSON.parse(Buffer.from(data).toString('utf8')) as {
      readonly $tb?: number;
      readonly $maxCount?: number;
    };
    const { $tb = 0, $maxCount } = metadata;
    const stream = streamOf(name);
    stream.truncateBefore = Number.isSafeInteger($tb) ? BigInt($tb) : DELETED;
    stream.maxCount = $maxCount === undefined ? UNLIMITED : BigInt($maxCount);
  }

  /** Writes a stream's metadata, `$tb` and `$maxCount`, into the log. */
  function setMetadata(name: string, metadata: Record<string, number>): void {
    const data = Buffer.from(JSON.stringify(metadata));
    writeOwn(`$$${name}`, '$metadata', data);
  }

  /** Writes an event of the server's own. */
  function writeOwn(name: string, type: string, data: Uint8Array, revision?: bigint): void {
    const proposal = {
      id: randomUUID(),
      type,
      isJson: true,
      data,
      customMetadata: Buffer.alloc(0),
    };
    write(name, proposal, revision ?? streamOf(name).last + 1n);
  }

  /** Of a deleted stream the server keeps the tombstone. */
  const isOfDeleted: EventFilter = ({ stream, revision }) =>
    revision !== DELETED && streams.get(stream)?.last === DELETED;

  function endStream(name: string, last: bigint): AppendDecision {
    const { current } = stateOf(name);
    if (current === DELETED) return { kind: 'streamDeleted' };
    if (current !== last) return { kind: 'wrongExpectedVersion', current };
    tombstone(name);
    return { kind: 'success', revision: DELETED, position: records.at(-1)?.position ?? null };
  }

  function tombstone(name: string): void {
    writeOwn(name, '$streamDeleted', Buffer.alloc(0), DELETED);
  }

  /** Positions of the events kept stay, and a read may begin anywhere among them. */
  function scavenge(isRemoved: EventFilter = isOfDeleted): void {
    const isKept: EventFilter = (event) => !isRemoved(event);
    records = records.filter(isKept);
    for (const stream of streams.values()) stream.events = stream.events.filter(isKept);
    scavengedBefore = writer;
  }

  /** Drops the record at the position and all behind it. */
  function truncate(position: bigint): void {
    const isKept: EventFilter = (event) => event.position < position;
    writer = records.find((event) => !isKept(event))?.position ?? writer;
    records = records.filter(isKept);
    for (const [name, stream] of streams) {
      stream.events = stream.events.filter(isKept);
      stream.last = stream.events.at(-1)?.revision ?? NO_STREAM;
      const metadata = streams.get(`$$${name}`)?.events.findLast(isKept);
      applyMetadata(name, metadata?.data ?? Buffer.from('{}'));
    }
    recentIds.clear();
  }

  copied.forEach(keep);

  const lastPosition = (visible: number) =>
    records[Math.min(visible, records.length) - 1]?.position ?? -1n;

  return {
    get length() {
      return records.length;
    },
    get records(): readonly StoredEvent[] {
      return records;
    },
    /** Position of the next record. */
    get end() {
      return writer;
    },
    append,
    /** Deletes a stream for good unless it has moved on. */
    endStream,
    /** Records behind a position that a node has. */
    between(position: bigint, visible: number): StoredEvent[] {
      return records.slice(
        lowerBound(records, (event) => event.position <= position),
        visible,
      );
    },
    forgetRecentIds: () => recentIds.clear(),
    lastPosition,
    readAllForward: (query: AllQuery): AllPage =>
      readAllForward({ records, writer, scavengedBefore }, query),
    readAllBackward: (query: AllQuery): AllPage =>
      readAllBackward({ records, writer, scavengedBefore }, query),
    readStream: (name: string, visible: number, query: StreamQuery): StreamPage =>
      readStream(streams.get(name), lastPosition(visible), query),
    scavenge,
    setMetadata,
    tombstone,
    truncate,
    writeOwn,
  };
}
