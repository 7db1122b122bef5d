import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { RefusedLine } from '../../application/registerImport/ports/writableRegister.ts';
import { fileLines } from './fileLines.ts';

/** Formats of a register's file. */
export const fileFormats = ['csv', 'jsonl'] as const;

export type FileFormat = (typeof fileFormats)[number];

/** Columns of a file, in any order, each with its pattern and a description of it. */
export type Columns = Readonly<Record<string, readonly [pattern: RegExp, expected: string]>>;

/** One valid line, in Unicode's composed form (NFC). */
export interface ColumnLine<Of extends Columns> {
  readonly line: number;
  readonly values: Readonly<Record<keyof Of & string, string>>;
}

export interface LinesOptions<Of extends Columns> {
  readonly format: FileFormat;
  readonly columns: Of;
  /** Columns that may be missing: read as empty. */
  readonly optional: readonly (keyof Of & string)[];
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Reads the fields of a line, or says why it has none. */
type ReadFields = (text: string) => Fields | string;

/**
 * Reads a file in UTF-8 line by line: CSV (RFC 4180, a header, no line breaks within fields) or JSON Lines (an object a
 * line). Ignores other columns and empty lines. Without its header, or a column, a CSV file has no other lines.
 *
 * @throws Error of the source
 */
export async function* readRegisterLines<Of extends Columns>(
  pieces: AsyncIterable<Buffer>,
  { format, columns, optional }: LinesOptions<Of>,
): AsyncGenerator<ColumnLine<Of> | RefusedLine> {
  let readFields: ReadFields | null = format === 'jsonl' ? readObject : null;
  let isEmpty = true;
  for await (const one of fileLines(pieces)) {
    if ('text' in one && one.text.trim() === '') continue;
    if (readFields !== null) {
      isEmpty = false;
      yield 'reason' in one ? one : checked(one.line, readFields(one.text), columns);
      continue;
    }
    const header = 'reason' in one ? one.reason : readHeader(one.text, columns, optional);
    if (typeof header === 'string') {
      yield { line: one.line, reason: header };
      return;
    }
    readFields = header;
  }
  if (readFields === null)
    yield { line: 1, reason: 'The file is empty. Its first line must name the columns.' };
  else if (isEmpty) yield { line: 1, reason: 'The file contains no records.' };
}

/** Reads the lines below a header, or says what is wrong with it. */
function readHeader<Of extends Columns>(
  text: string,
  columns: Of,
  optional: readonly string[],
): ReadFields | string {
  const header = cellsOf(text);
  if (typeof header === 'string') return header;
  const isMissing = (column: string) => !header.includes(column) && !optional.includes(column);
  const twice = Object.keys(columns).filter(
    (column) => header.indexOf(column) !== header.lastIndexOf(column),
  );
  if (twice.length > 0) return `Columns named twice: ${twice.join(', ')}.`;
  const missing = Object.keys(columns).filter(isMissing);
  if (missing.length > 0) {
    return `Missing columns: ${missing.join(', ')}. The first line must name the columns.`;
  }
  return (line) => {
    const cells = cellsOf(line);
    if (typeof cells === 'string') return cells;
    if (cells.length !== header.length) {
      return `The line has ${cells.length} fields, but the header has ${header.length}.`;
    }
    return Object.fromEntries(header.map((column, index) => [column, cells[index]]));
  };
}

/** Cells of a line of CSV, or why it has none. */
function cellsOf(text: string): readonly string[] | string {
  if (!text.includes('"')) return text.split(',').map((cell) => cell.trim());
  try {
    const [cells = []] = parse(text, { trim: true });
    return cells;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return `Malformed CSV: ${error.code}. Enclose fields that contain commas or quotation marks in quotation marks.`;
  }
}

const notObject = 'The line is not a single JSON object.';

function readObject(text: string): Fields | string {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return notObject;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return notObject;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(value)]));
}

/** A text no column admits, for a value that no cell can hold. */
const NO_TEXT = '\0';

/** Text of a cell for a value of JSON. */
function textOf(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim() : NO_TEXT;
}

function checked<Of extends Columns>(
  line: number,
  fields: Fields | string,
  columns: Of,
): ColumnLine<Of> | RefusedLine {
  if (typeof fields === 'string') return { line, reason: fields };
  const values: Record<string, string> = {};
  for (const [column, [pattern, expected]] of Object.entries(columns)) {
    const value = (fields[column] ?? '').normalize('NFC');
    if (!pattern.test(value)) return { line, reason: `${column} must be ${expected}.` };
    values[column] = value;
  }
  return { line, values: values as ColumnLine<Of>['values'] };
}
