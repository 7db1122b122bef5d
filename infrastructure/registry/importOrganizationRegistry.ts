import { faultOfDisplayed } from '../../domain/shared/displayedText.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { type CsvColumns, type CsvFault, type CsvLine, readCsvLines } from './csvLines.ts';
import { RegistryImportRefused } from './importRefused.ts';
import type {
  OrganizationEntry,
  OrganizationRegistryStore,
} from './postgresOrganizationRegistry.ts';

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
} as const satisfies CsvColumns;

const BATCH = 500;
const MOST_FAULTS = 50;

/**
 * Loads the register of legal entities from a CSV file (UTF-8, header row): checks the whole file first, then writes it
 * in batches. `affiliates` may be missing. Importing the same file again changes nothing.
 *
 * @returns how many records were added or changed
 * @throws RegistryImportRefused with the first 50 faults and their lines
 * @throws Unavailable
 */
export async function importOrganizationRegistry(
  csvPath: string,
  registry: Pick<OrganizationRegistryStore, 'save'>,
): Promise<number> {
  const records = await readAll(csvPath);
  let written = 0;
  for (let from = 0; from < records.length; from += BATCH) {
    written += await registry.save(records.slice(from, from + BATCH));
  }
  return written;
}

async function readAll(csvPath: string): Promise<readonly OrganizationEntry[]> {
  const records = new Map<string, OrganizationEntry>();
  const faults: CsvFault[] = [];
  for await (const line of readCsvLines(csvPath, columns, ['affiliates'])) {
    const record = 'detail' in line ? line : toRecord(line);
    if ('detail' in record) faults.push({ line: line.line, detail: record.detail });
    else if (records.has(record.register)) {
      faults.push({ line: line.line, detail: 'register stands there twice.' });
    } else records.set(record.register, record);
    if (faults.length >= MOST_FAULTS) break;
  }
  if (faults.length > 0) throw new RegistryImportRefused('organization', faults);
  return [...records.values()];
}

function toRecord({
  values,
}: CsvLine<typeof columns>): OrganizationEntry | Pick<CsvFault, 'detail'> {
  const register = readRegister(values.register);
  if (register === null) return { detail: 'register cannot be one.' };
  for (const column of ['name', 'legalName'] as const) {
    const fault = faultOfDisplayed(values[column], 'one line');
    if (fault !== null) return { detail: `${column}: ${fault}` };
  }
  return {
    register,
    name: values.name,
    legalName: values.legalName,
    coreId: values.coreId === '' ? null : Number(values.coreId),
    email: values.email || null,
    phone: values.phone || null,
    address: values.address || null,
    affiliates: values.affiliates === '' ? null : values.affiliates.toLowerCase().split(' '),
  };
}
