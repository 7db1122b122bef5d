import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';

/** A fault in one line of the file. Says what is wrong, never what stood there: that is personal data. */
export interface CsvFault {
  /** From 1, the header being line 1. */
  readonly line: number;
  readonly detail: string;
}

export interface CsvRecord {
  readonly line: number;
  readonly record: CivilRecord;
}

type Rule = readonly [pattern: RegExp, expected: string];

const name: Rule = [/^[^\p{Cc}]{1,100}$/u, '1 to 100 characters'];

/** The columns of the file, in any order, and what each must hold. */
const columns = {
  civilId: [/^\d{12}$/, '12 digits'],
  registrationNumber: [/^[а-яёөү]{2}\d{8}$/i, 'two Cyrillic letters and 8 digits'],
  givenName: name,
  surname: name,
  familyName: name,
  givenNameLatin: name,
  surnameLatin: name,
  birthDate: [/^\d{4}-\d{2}-\d{2}$/, 'a date YYYY-MM-DD'],
  gender: [/^[MFX]$/, 'M, F or X'],
  geId: [/^\d{0,15}$/, 'up to 15 digits, or nothing'],
  cardNumber: [/^[\p{L}\d]{0,20}$/u, 'up to 20 letters and digits, or nothing'],
} as const satisfies Readonly<Record<string, Rule>>;

type Column = keyof typeof columns;

const columnNames = Object.keys(columns) as readonly Column[];

/**
 * Reads a CSV file (UTF-8, header row) record by record.
 *
 * @throws Error of the file system
 */
export async function* readCivilRecords(csvPath: string): AsyncGenerator<CsvRecord | CsvFault> {
  let missing = columnNames;
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    trim: true,
    columns: (header: string[]) => {
      missing = columnNames.filter((column) => !header.includes(column));
      return header;
    },
  });
  // A source that fails destroys the parser, which then ends the loop below with the same error.
  pipeline(createReadStream(csvPath), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedLine>) {
      if (missing.length > 0) break;
      yield toRecord(info.lines, record);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (missing.length === 0) yield malformed(error);
  }
  if (missing.length > 0) yield { line: 1, detail: `Missing columns: ${missing.join(', ')}.` };
}

interface ParsedLine {
  readonly record: Readonly<Record<Column, string>>;
  readonly info: { readonly lines: number };
}

function toRecord(line: number, fields: Readonly<Record<Column, string>>): CsvRecord | CsvFault {
  const values = { ...fields };
  for (const column of columnNames) {
    values[column] = fields[column].normalize('NFC');
    const [pattern, expected] = columns[column];
    if (!pattern.test(values[column])) return { line, detail: `${column} must be ${expected}.` };
  }
  if (!isDate(values.birthDate)) return { line, detail: 'birthDate must be a date YYYY-MM-DD.' };
  return {
    line,
    record: {
      civilId: values.civilId,
      identity: {
        givenName: values.givenName,
        surname: values.surname,
        familyName: values.familyName,
        givenNameLatin: values.givenNameLatin,
        surnameLatin: values.surnameLatin,
        registrationNumber: values.registrationNumber.toLowerCase(),
        birthDate: values.birthDate,
        gender: values.gender as 'M' | 'F' | 'X',
        geId: values.geId === '' ? null : Number(values.geId),
      },
      cardNumber: values.cardNumber === '' ? null : values.cardNumber,
    },
  };
}

function malformed(error: CsvError): CsvFault {
  const { lines } = error as { lines?: unknown };
  return { line: typeof lines === 'number' ? lines : 1, detail: `Malformed CSV: ${error.code}.` };
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
