import type pg from 'pg';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { orUnavailable } from '../postgres/pool.ts';
import { type CivilRegistryStore, compareRecords } from './civilRegistryStore.ts';

export interface PostgresCivilRegistryOptions {
  readonly pool: pg.Pool;
  readonly vault: PersonalDataVault;
}

interface KnownRow {
  readonly civil_id: string;
  readonly registration_number_index: string;
  readonly record_fingerprint: string;
}

/** The civil register in PostgreSQL: each record encrypted under its person's key, so that crypto-shredding covers it. */
export function createPostgresCivilRegistry({
  pool,
  vault,
}: PostgresCivilRegistryOptions): CivilRegistryStore {
  const query = <Result extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    orUnavailable('civilRegistry', () => pool.query<Result>(text, values));

  const registrationNumberIndex = (registrationNumber: string) =>
    vault.blindIndex('registrationNumber', registrationNumber.toLowerCase());

  const comparable = (record: CivilRecord) => {
    const number = registrationNumberIndex(record.identity.registrationNumber);
    const fingerprint = vault.blindIndex('civilRecord', JSON.stringify(record));
    return { civilId: record.civilId, number, fingerprint };
  };

  /** `null` for a person forgotten since. */
  async function encrypted(record: CivilRecord): Promise<string | null> {
    try {
      return await vault.encrypt(record.civilId, JSON.stringify(record));
    } catch (error) {
      if (error instanceof SubjectForgotten) return null;
      throw error;
    }
  }

  return {
    find: async (identifier) => {
      const [column, value] =
        identifier.type === 'civilId'
          ? ['civil_id', identifier.civilId]
          : ['registration_number_index', registrationNumberIndex(identifier.registrationNumber)];
      const { rows } = await query<{ civil_id: string; sealed: string }>(
        `select civil_id, sealed from civil_registry where ${column} = $1`,
        [value],
      );
      const [row] = rows;
      if (row === undefined) return null;
      const text = await vault.decrypt(row.civil_id, row.sealed);
      return text === null ? null : (JSON.parse(text) as CivilRecord);
    },

    compare: async (records) => {
      const compared = records.map(comparable);
      const civilIds = compared.map(({ civilId }) => civilId);
      const forgotten = await vault.forgottenAmong(civilIds);
      const { rows } = await query<KnownRow>(
        `select civil_id, registration_number_index, record_fingerprint from civil_registry
          where civil_id = any($1) or registration_number_index = any($2)`,
        [civilIds, compared.map(({ number }) => number)],
      );
      return compareRecords(compared, {
        forgotten,
        fingerprints: new Map(rows.map((row) => [row.civil_id, row.record_fingerprint])),
        numbers: new Map(rows.map((row) => [row.civil_id, row.registration_number_index])),
        owners: new Map(rows.map((row) => [row.registration_number_index, row.civil_id])),
      });
    },

    save: async (records) => {
      const all = await Promise.all(
        records.map(async (record) => ({
          ...comparable(record),
          encrypted: await encrypted(record),
        })),
      );
      const rows = all.filter((row) => row.encrypted !== null);
      await query(
        `insert into civil_registry
                (civil_id, registration_number_index, record_fingerprint, sealed)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
         on conflict (civil_id) do update set
                registration_number_index = excluded.registration_number_index,
                record_fingerprint = excluded.record_fingerprint,
                sealed = excluded.sealed`,
        [
          rows.map((row) => row.civilId),
          rows.map((row) => row.number),
          rows.map((row) => row.fingerprint),
          rows.map((row) => row.encrypted),
        ],
      );
    },

    forget: async (civilId) => {
      await query('delete from civil_registry where civil_id = $1', [civilId]);
    },
  };
}
