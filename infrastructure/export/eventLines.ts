import type { StoredEvent } from '../../domain/merkle/hashTree.ts';

/**
 * The line format of exported raw events (JSON Lines, UTF-8, `\n` after every line): an object of exactly these members
 * in this order, without white space, as `JSON.stringify` writes it.
 *
 * - `position`, `revision`: decimal strings, for they have 64 bits;
 * - `stream`, `id`, `type`: as stored;
 * - `schemaVersion`: the number that `metadata` holds too;
 * - `data`, `metadata`: the stored JSON texts as strings, so that their bytes come back one by one: what is encrypted in
 *   the log is encrypted here.
 *
 * One event has one line: a line that says the same in other words is refused by {@link parseEventLine}, so a digest over
 * lines is as good as one over events.
 */
interface EventLine {
  readonly position: string;
  readonly stream: string;
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
  readonly metadata: string;
}

/** A malformed line of an export. */
export class BadEventLine extends Error {
  override readonly name = 'BadEventLine';
}

/** Stored metadata ends with its version; the line states it in any case. */
const VERSION_AT_END = /"schemaVersion":(\d{1,9})}$/;

/** The event's line, without its line end. */
export function eventLine(event: StoredEvent): string {
  const { position, stream, revision, id, type, data, metadata } = event;
  const line: EventLine = {
    position: position.toString(),
    stream,
    revision: revision.toString(),
    id,
    type,
    schemaVersion: schemaVersionOf(metadata),
    data,
    metadata,
  };
  return JSON.stringify(line);
}

/**
 * The event of a line, without its line end.
 *
 * @throws BadEventLine
 */
export function parseEventLine(text: string): StoredEvent {
  const line = parse(text);
  const event: StoredEvent = {
    position: parsedNumber(line.position),
    stream: parsedText(line.stream),
    revision: parsedNumber(line.revision),
    id: parsedText(line.id),
    type: parsedText(line.type),
    data: parsedText(line.data),
    metadata: parsedText(line.metadata),
  };
  if (eventLine(event) !== text) {
    throw new BadEventLine('The line is not in the form in which an export writes it.');
  }
  return event;
}

function schemaVersionOf(metadata: string): number {
  return Number(VERSION_AT_END.exec(metadata)?.[1] ?? 0);
}

function parse(text: string): Readonly<Record<keyof EventLine, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) {
      return value as Readonly<Record<keyof EventLine, unknown>>;
    }
  } catch {
    // Reported below: the parser's message would quote the line.
  }
  throw new BadEventLine('The line is not a JSON object.');
}

const DECIMAL = /^\d{1,19}$/;
/** Largest `bigint` of PostgreSQL. */
const LARGEST = 2n ** 63n - 1n;

function parsedNumber(value: unknown): bigint {
  const number = typeof value === 'string' && DECIMAL.test(value) ? BigInt(value) : null;
  if (number !== null && number <= LARGEST) return number;
  throw new BadEventLine('A position or a revision is not a decimal number.');
}

function parsedText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new BadEventLine('A text is missing.');
}
