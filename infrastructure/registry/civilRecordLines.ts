import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import type {
  EntryLine,
  RefusedLine,
} from '../../application/registerImport/ports/writableRegister.ts';
import {
  type ColumnLine,
  type Columns,
  type FileFormat,
  readRegisterLines,
} from './registerLines.ts';

const name = [/^[^\p{Cc}]{1,100}$/u, '1 to 100 characters'] as const;

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
  email: [/^([^@\s]{1,64}@[^@\s]{1,255})?$/, 'an e-mail address, or nothing'],
} as const satisfies Columns;

/** Reads a file of the civil register; `email` may be missing. @throws Error of the source */
export async function* readCivilRecords(
  pieces: AsyncIterable<Buffer>,
  format: FileFormat,
): AsyncGenerator<EntryLine<CivilRecord> | RefusedLine> {
  for await (const line of readRegisterLines(pieces, { format, columns, optional: ['email'] })) {
    yield 'reason' in line ? line : toRecord(line);
  }
}

function toRecord({
  line,
  values,
}: ColumnLine<typeof columns>): EntryLine<CivilRecord> | RefusedLine {
  if (!isDate(values.birthDate)) return { line, reason: 'birthDate must be a date YYYY-MM-DD.' };
  return {
    line,
    entry: {
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
      ...(values.email !== '' && { email: values.email }),
    },
  };
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
