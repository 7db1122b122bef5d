import type pg from 'pg';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { orUnavailable } from '../postgres/availability.ts';
import { type CivilRegistryStore, RegistrationNumberTaken } from './civilRegistryStore.ts';

export interface PostgresCivilRegistryOptions {
  readonly pool: pg.Pool;
  readonly vault: PersonalDataVault;
}

interface Row {
  readonly civilId: string;
  readonly index: string;
  readonly fingerprint: string;
  readonly sealed: string;
}

const UNIQUE_VIOLATION = '23505';

/** The civil register in PostgreSQL: each record sealed under its person's key, so that crypto-shredding covers it. */
export function createPostgresCivilRegistry({
  pool,
  vault,
}: PostgresCivilRegistryOptions): CivilRegistryStore {
  const query = <Result extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    orUnavailable('civilRegistry', () => pool.query<Result>(text, values));

  const registrationNumberIndex = (registrationNumber: string) =>
    vault.blindIndex('registrationNumber', registrationNumber.toLowerCase());

  /** `null` for a forgotten person. */
  async function toRow(record: CivilRecord): Promise<Row | null> {
    const text = JSON.stringify(record);
    try {
      return {
        civilId: record.civilId,
        index: registrationNumberIndex(record.identity.registrationNumber),
        fingerprint: vault.blindIndex('civilRecord', text),
        sealed: await vault.seal(record.civilId, text),
      };
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
      const text = await vault.open(row.civil_id, row.sealed);
      return text === null ? null : (JSON.parse(text) as CivilRecord);
    },

    save: async (records) => {
      const rows = (await Promise.all(records.map(toRow))).filter((row) => row !== null);
      const { rowCount } = await query(
        `insert into civil_registry as kept
                (civil_id, registration_number_index, record_fingerprint, sealed)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
         on conflict (civil_id) do update set
                registration_number_index = excluded.registration_number_index,
                record_fingerprint = excluded.record_fingerprint,
                sealed = excluded.sealed
          where kept.record_fingerprint <> excluded.record_fingerprint`,
        [
          rows.map((row) => row.civilId),
          rows.map((row) => row.index),
          rows.map((row) => row.fingerprint),
          rows.map((row) => row.sealed),
        ],
      ).catch((error: unknown) => {
        throw (error as { code?: unknown }).code === UNIQUE_VIOLATION
          ? new RegistrationNumberTaken()
          : error;
      });
      const written = rowCount ?? 0;
      return {
        written,
        unchanged: rows.length - written,
        forgotten: records.length - rows.length,
      };
    },

    forget: async (civilId) => {
      await query('delete from civil_registry where civil_id = $1', [civilId]);
    },
  };
}
