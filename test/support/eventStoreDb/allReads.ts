import {
  type EventFilter,
  type LogPosition,
  lowerBound,
  type StoredEvent,
} from './storedEvents.ts';

/** The records of $all and what a read has to know of the files they stand in. */
export interface AllRecords {
  readonly records: readonly StoredEvent[];
  /** Position of the next record. */
  readonly writer: bigint;
  /** Before it the files are scavenged: there a read begins at the closest record, elsewhere at a record's edge only. */
  readonly scavengedBefore: bigint;
}

export interface AllQuery {
  readonly from: LogPosition | 'end';
  readonly maxCount: number;
  /** Number of records the node has. */
  readonly visible: number;
  readonly filter: EventFilter;
  /** Records looked at in one page, passing or not. */
  readonly window: number;
}

export interface AllPage {
  readonly events: StoredEvent[];
  readonly current: LogPosition;
  readonly next: LogPosition;
  readonly isEnd: boolean;
  readonly considered: number;
}

/** No record begins (or, backwards, ends) at the position asked for. */
export class InvalidPosition extends Error {
  /** Name of it in the server. */
  readonly result: 'InvalidPosition' | 'Error';

  constructor(result: 'InvalidPosition' | 'Error' = 'InvalidPosition') {
    super(result);
    this.result = result;
  }
}

/** Follows `AllReader.ReadAllEventsForwardInternal`. @throws InvalidPosition */
export function readAllForward(all: AllRecords, query: AllQuery): AllPage {
  const { records } = all;
  const { maxCount, filter, window } = query;
  const current = startOf(all, query);
  const visible = Math.min(query.visible, records.length);
  const events: StoredEvent[] = [];
  let next = current;
  let considered = 0;
  const isPast = current.commit > (records[visible - 1]?.position ?? -1n);
  let at = isPast ? visible : edge(all, current.commit);
  while (events.length < maxCount && considered < window && at < visible) {
    const event = records[at] as StoredEvent;
    at += 1;
    considered += 1;
    if (filter(event)) events.push(event);
    next = { commit: event.next, prepare: 0n };
  }
  // A page that is full does not know yet that nothing follows it.
  const isEnd = events.length < maxCount && considered < window;
  return { events, current, next, isEnd, considered };
}

/** Follows `AllReader.ReadAllEventsBackwardInternal`: the record at the position first. @throws InvalidPosition */
export function readAllBackward(all: AllRecords, query: AllQuery): AllPage {
  const { records } = all;
  const { maxCount, visible, filter, window } = query;
  const current = startOf(all, query);
  const events: StoredEvent[] = [];
  let next = current;
  let considered = 0;
  if (current.commit > all.writer) throw new InvalidPosition('Error');
  let at = edge(all, current.commit);
  while (events.length < maxCount && considered < window && at > 0) {
    at -= 1;
    if (at >= visible) continue;
    const event = records[at] as StoredEvent;
    if (event.next === current.commit && current.prepare < event.next) continue;
    considered += 1;
    if (filter(event)) events.push(event);
    next = { commit: event.position, prepare: event.position };
  }
  const isEnd = events.length < maxCount && considered < window;
  return { events, current, next, isEnd, considered };
}

function startOf({ writer }: AllRecords, { from }: AllQuery): LogPosition {
  return from === 'end' ? { commit: writer, prepare: writer } : from;
}

/** Index of the record at the position. @throws InvalidPosition */
function edge({ records, writer, scavengedBefore }: AllRecords, position: bigint): number {
  const at = lowerBound(records, (event) => event.position < position);
  const isEdge = position === 0n || position === writer || records[at]?.position === position;
  if (!isEdge && position >= scavengedBefore) throw new InvalidPosition();
  return at;
}
