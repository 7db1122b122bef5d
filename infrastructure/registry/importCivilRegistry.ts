import { type CsvRecord, readCivilRecords } from './civilRecordCsv.ts';
import {
  type CivilRegistryStore,
  RegistrationNumberTaken,
  type Saved,
} from './civilRegistryStore.ts';
import type { CsvFault } from './csvLines.ts';
import { RegistryImportRefused } from './importRefused.ts';

export interface ImportOptions {
  readonly csvPath: string;
  readonly registry: Pick<CivilRegistryStore, 'save'>;
  /** Called after each batch with the totals so far. */
  readonly onProgress?: (soFar: Saved) => void;
}

const BATCH = 500;
const MOST_FAULTS = 50;

/**
 * Loads the civil register from a CSV file: checks the whole file first, then writes it in batches. Importing the same
 * file again changes nothing; forgotten persons are left out.
 *
 * @throws RegistryImportRefused with the first 50 faults and their lines
 * @throws Unavailable
 */
export async function importCivilRegistry({
  csvPath,
  registry,
  onProgress,
}: ImportOptions): Promise<Saved> {
  await check(csvPath);
  let total: Saved = { written: 0, unchanged: 0, forgotten: 0 };
  for await (const batch of batches(csvPath)) {
    const saved = await saveBatch(registry, batch);
    total = {
      written: total.written + saved.written,
      unchanged: total.unchanged + saved.unchanged,
      forgotten: total.forgotten + saved.forgotten,
    };
    onProgress?.(total);
  }
  return total;
}

async function check(csvPath: string): Promise<void> {
  const faults: CsvFault[] = [];
  const civilIds = new Set<string>();
  const registrationNumbers = new Set<string>();
  for await (const one of readCivilRecords(csvPath)) {
    if ('detail' in one) {
      faults.push(one);
    } else {
      const { civilId, identity } = one.record;
      faults.push(
        ...repeated(civilIds, civilId, { line: one.line, detail: 'civilId stands there twice.' }),
        ...repeated(registrationNumbers, identity.registrationNumber, {
          line: one.line,
          detail: 'registrationNumber stands there twice.',
        }),
      );
    }
    if (faults.length >= MOST_FAULTS) break;
  }
  if (faults.length > 0) throw new RegistryImportRefused('civil', faults.slice(0, MOST_FAULTS));
}

function repeated(seen: Set<string>, value: string, fault: CsvFault): readonly CsvFault[] {
  if (seen.has(value)) return [fault];
  seen.add(value);
  return [];
}

async function* batches(csvPath: string): AsyncGenerator<readonly CsvRecord[]> {
  let batch: CsvRecord[] = [];
  for await (const one of readCivilRecords(csvPath)) {
    if ('detail' in one) throw new RegistryImportRefused('civil', [one]);
    batch.push(one);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

async function saveBatch(
  registry: Pick<CivilRegistryStore, 'save'>,
  batch: readonly CsvRecord[],
): Promise<Saved> {
  try {
    return await registry.save(batch.map(({ record }) => record));
  } catch (error) {
    if (!(error instanceof RegistrationNumberTaken)) throw error;
    const [first, last] = [batch[0]?.line ?? 0, batch.at(-1)?.line ?? 0];
    throw new RegistryImportRefused('civil', [
      { line: first, detail: `${error.message} It stands in lines ${first} to ${last}.` },
    ]);
  }
}
