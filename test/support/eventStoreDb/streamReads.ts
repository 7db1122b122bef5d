import { DELETED, NO_STREAM } from './commitCheck.ts';
import { lowerBound, type StoredEvent } from './storedEvents.ts';

export interface Stream {
  events: StoredEvent[];
  /** Revision of the last event ever written, `DELETED` behind a tombstone, -1 before the first. */
  last: bigint;
  /** `$tb` and `$maxCount` of its metadata. */
  truncateBefore: bigint;
  maxCount: bigint;
}

export interface StreamQuery {
  readonly from: bigint | 'end';
  readonly maxCount: number;
  readonly isBackwards: boolean;
}

export type StreamPage =
  | 'noStream'
  | 'streamDeleted'
  | {
      readonly events: readonly StoredEvent[];
      readonly next: bigint;
      readonly last: bigint;
      readonly isEnd: boolean;
    };

/** Reads what a node has of a stream: its records up to a position of the log. */
export function readStream(
  stream: Stream | undefined,
  lastPosition: bigint,
  query: StreamQuery,
): StreamPage {
  const events = stream?.events ?? [];
  const count = lowerBound(events, ({ position }) => position <= lastPosition);
  const last = events[count - 1]?.revision ?? NO_STREAM;
  if (last === DELETED) return 'streamDeleted';
  if (stream === undefined || last === NO_STREAM || stream.truncateBefore === DELETED)
    return 'noStream';
  const byCount = last + 1n - stream.maxCount;
  const first = byCount > stream.truncateBefore ? byCount : stream.truncateBefore;
  const known = { events: events.slice(0, count), first, last };
  return query.isBackwards ? backwards(known, query) : forwards(known, query);
}

interface Known {
  readonly events: readonly StoredEvent[];
  readonly first: bigint;
  readonly last: bigint;
}

/** Follows `IndexReader.ReadStreamEventsForwardInternal`. */
function forwards({ events, first, last }: Known, { from, maxCount }: StreamQuery): StreamPage {
  const start = from === 'end' ? DELETED : from;
  const stop = start + BigInt(maxCount) - 1n;
  if (stop < first) return { events: [], next: first, last, isEnd: false };
  if (start > last) return { events: [], next: last + 1n, last, isEnd: true };
  const found = between(events, start > first ? start : first, stop);
  const reached = found.at(-1)?.revision ?? min(stop, last);
  return { events: found, next: reached + 1n, last, isEnd: stop >= last };
}

/** Follows `IndexReader.ReadStreamEventsBackwardInternal`. */
function backwards({ events, first, last }: Known, { from, maxCount }: StreamQuery): StreamPage {
  const stop = from === 'end' ? last : from;
  const start = stop - BigInt(maxCount) + 1n;
  const found = between(events, start > first ? start : first, stop).reverse();
  const isEnd = start <= first || (start <= last && found.at(-1)?.revision !== start);
  return { events: found, next: isEnd ? -1n : min(start - 1n, last), last, isEnd };
}

function between(events: readonly StoredEvent[], first: bigint, last: bigint): StoredEvent[] {
  const begin = lowerBound(events, ({ revision }) => revision < first);
  return events.slice(
    begin,
    lowerBound(events, ({ revision }) => revision <= last),
  );
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
