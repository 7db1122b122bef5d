import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** A fault in one line of the file. The message does not quote the line: it may hold personal data. */
export interface CsvFault {
  /** From 1, the header being line 1. */
  readonly line: number;
  readonly detail: string;
}

/** Columns of a file, in any order, each with its pattern and a description of it. */
export type CsvColumns = Readonly<Record<string, readonly [pattern: RegExp, expected: string]>>;

/** One valid line, in Unicode's composed form (NFC). */
export interface CsvLine<Columns extends CsvColumns> {
  readonly line: number;
  readonly values: Readonly<Record<keyof Columns & string, string>>;
}

/**
 * Reads a CSV file (UTF-8, header row) line by line; ignores other columns.
 *
 * @param optional columns that may be missing: read as empty
 * @throws Error of the file system
 */
export async function* readCsvLines<Columns extends CsvColumns>(
  csvPath: string,
  columns: Columns,
  optional: readonly (keyof Columns & string)[] = [],
): AsyncGenerator<CsvLine<Columns> | CsvFault> {
  const names = Object.keys(columns);
  const required = names.filter((name) => !optional.includes(name));
  let missing: readonly string[] = required;
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    trim: true,
    columns: (header: string[]) => {
      missing = required.filter((column) => !header.includes(column));
      return header;
    },
  });
  // A failing source destroys the parser, which then ends the loop below with the same error.
  pipeline(createReadStream(csvPath), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedLine>) {
      if (missing.length > 0) break;
      yield checked(info.lines, record, columns);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (missing.length === 0) yield malformed(error);
  }
  if (missing.length > 0) yield { line: 1, detail: `Missing columns: ${missing.join(', ')}.` };
}

interface ParsedLine {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function checked<Columns extends CsvColumns>(
  line: number,
  fields: ParsedLine['record'],
  columns: Columns,
): CsvLine<Columns> | CsvFault {
  const values: Record<string, string> = {};
  for (const [column, [pattern, expected]] of Object.entries(columns)) {
    const value = (fields[column] ?? '').normalize('NFC');
    if (!pattern.test(value)) return { line, detail: `${column} must be ${expected}.` };
    values[column] = value;
  }
  return { line, values: values as CsvLine<Columns>['values'] };
}

function malformed(error: CsvError): CsvFault {
  const { lines } = error as { lines?: unknown };
  return { line: typeof lines === 'number' ? lines : 1, detail: `Malformed CSV: ${error.code}.` };
}
