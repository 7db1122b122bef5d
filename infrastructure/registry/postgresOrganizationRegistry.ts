import type pg from 'pg';
import type {
  OrganizationRecord,
  OrganizationRegistry,
} from '../../application/directory/ports/organizationRegistry.ts';
import { orUnavailable } from '../postgres/availability.ts';

/** A writable register of legal entities. */
export interface OrganizationRegistryStore extends OrganizationRegistry {
  /**
   * Adds records or replaces those of the same registration number.
   *
   * @param records each registration number once
   * @returns how many were added or changed
   */
  save(records: readonly OrganizationRecord[]): Promise<number>;
}

interface Row {
  readonly register: string;
  readonly core_id: bigint | null;
  readonly name: string;
  readonly legal_name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
}

/** The register of legal entities in PostgreSQL. */
export function createPostgresOrganizationRegistry(pool: pg.Pool): OrganizationRegistryStore {
  const query = <Result extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    orUnavailable('organizationRegistry', () => pool.query<Result>(text, values));

  return {
    find: async (register) => {
      const { rows } = await query<Row>('select * from organization_registry where register = $1', [
        register,
      ]);
      const [row] = rows;
      if (row === undefined) return null;
      const { core_id: coreId, legal_name: legalName, ...rest } = row;
      return { ...rest, coreId: coreId === null ? null : Number(coreId), legalName };
    },

    save: async (records) => {
      const { rowCount } = await query(
        `insert into organization_registry as kept
                (register, core_id, name, legal_name, email, phone, address)
           select * from unnest
             ($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
         on conflict (register) do update set
                core_id = excluded.core_id, name = excluded.name, legal_name = excluded.legal_name,
                email = excluded.email, phone = excluded.phone, address = excluded.address
          where (kept.core_id, kept.name, kept.legal_name, kept.email, kept.phone, kept.address)
                is distinct from
                (excluded.core_id, excluded.name, excluded.legal_name, excluded.email,
                 excluded.phone, excluded.address)`,
        [
          records.map(({ register }) => register),
          records.map(({ coreId }) => coreId),
          records.map(({ name }) => name),
          records.map(({ legalName }) => legalName),
          records.map(({ email }) => email),
          records.map(({ phone }) => phone),
          records.map(({ address }) => address),
        ],
      );
      return rowCount ?? 0;
    },
  };
}
