import type {
  EntryLine,
  RefusedLine,
} from '../../application/registerImport/ports/writableRegister.ts';
import { faultOfDisplayed } from '../../domain/shared/requestFields.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import type { OrganizationEntry } from './postgresOrganizationRegistry.ts';
import {
  type ColumnLine,
  type Columns,
  type FileFormat,
  readRegisterLines,
} from './registerLines.ts';

const name = [/^[^\p{Cc}]{1,200}$/u, '1 to 200 characters'] as const;
const optional = [/^[^\p{Cc}]{0,300}$/u, 'up to 300 characters, or nothing'] as const;

const columns = {
  register: [/^[\p{L}\d]{3,20}$/u, '3 to 20 letters and digits'],
  coreId: [/^\d{0,15}$/, 'up to 15 digits, or nothing'],
  name,
  legalName: name,
  email: optional,
  phone: optional,
  address: optional,
  affiliates: [
    /^([а-яёөү]{2}\d{8}( [а-яёөү]{2}\d{8})*)?$/i,
    'registration numbers separated by spaces, or nothing where they are not known',
  ],
} as const satisfies Columns;

/** Reads a file of the register of legal entities; `affiliates` may be missing. @throws Error of the source */
export async function* readOrganizations(
  pieces: AsyncIterable<Buffer>,
  format: FileFormat,
): AsyncGenerator<EntryLine<OrganizationEntry> | RefusedLine> {
  for await (const line of readRegisterLines(pieces, {
    format,
    columns,
    optional: ['affiliates'],
  })) {
    yield 'reason' in line ? line : toEntry(line);
  }
}

function toEntry({
  line,
  values,
}: ColumnLine<typeof columns>): EntryLine<OrganizationEntry> | RefusedLine {
  const register = readRegister(values.register);
  if (register === null) return { line, reason: 'register must be 3 to 20 letters and digits.' };
  for (const column of ['name', 'legalName'] as const) {
    const fault = faultOfDisplayed(values[column], 'one line');
    if (fault !== null) return { line, reason: `${column}: ${fault}` };
  }
  return {
    line,
    entry: {
      register,
      name: values.name,
      legalName: values.legalName,
      coreId: values.coreId === '' ? null : Number(values.coreId),
      email: values.email || null,
      phone: values.phone || null,
      address: values.address || null,
      affiliates: values.affiliates === '' ? null : values.affiliates.toLowerCase().split(' '),
    },
  };
}
