import type { PersonTraces } from '../../application/citizen/ports/personTraces.ts';
import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type {
  Verdict,
  WritableRegister,
} from '../../application/registerImport/ports/writableRegister.ts';

/** A writable civil register: in PostgreSQL, or in memory for tests. Nothing of forgotten persons is saved. */
export interface CivilRegistryStore
  extends CivilRegistry, PersonTraces, WritableRegister<CivilRecord> {}

/** Knowledge a civil register has of the records that are compared with it. */
export interface KnownRecords {
  readonly forgotten: ReadonlySet<string>;
  /** By civil id. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Registration number by civil id, or what stands for it. */
  readonly numbers: ReadonlyMap<string, string>;
  /** Civil id by registration number, or what stands for it. */
  readonly owners: ReadonlyMap<string, string>;
}

export interface ComparedRecord {
  readonly civilId: string;
  readonly number: string;
  readonly fingerprint: string;
}

const TAKEN =
  'registrationNumber belongs to another citizen in the register. Correct the one that is wrong.';

/** Compares records as if saved one after the other: a number that one gives up may be the next one's. */
export function compareRecords(
  records: readonly ComparedRecord[],
  known: KnownRecords,
): readonly Verdict[] {
  const owners = new Map(known.owners);
  return records.map(({ civilId, number, fingerprint }): Verdict => {
    if (known.forgotten.has(civilId)) return 'FORGOTTEN';
    if ((owners.get(number) ?? civilId) !== civilId) return { refused: TAKEN };
    const before = known.fingerprints.get(civilId);
    if (before === fingerprint) return 'UNCHANGED';
    owners.delete(known.numbers.get(civilId) ?? '');
    owners.set(number, civilId);
    return before === undefined ? 'ADDED' : 'CHANGED';
  });
}
