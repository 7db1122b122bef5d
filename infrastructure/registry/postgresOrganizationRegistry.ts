import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type {
  OrganizationRecord,
  OrganizationRegistry,
} from '../../application/directory/ports/organizationRegistry.ts';
import type { WritableRegister } from '../../application/registerImport/ports/writableRegister.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { orUnavailable } from '../postgres/pool.ts';

/** A record with what the register says of the organization's people. */
export interface OrganizationEntry extends OrganizationRecord {
  /** Registration numbers, lower case; null or absent: the register does not say. */
  readonly affiliates?: readonly string[] | null;
}

/** A writable register of legal entities. */
export type OrganizationRegistryStore = OrganizationRegistry & WritableRegister<OrganizationEntry>;

interface Row {
  readonly register: string;
  readonly core_id: bigint | null;
  readonly name: string;
  readonly legal_name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
  /** Fingerprints, sorted. */
  readonly affiliates: readonly string[] | null;
}

const shown = ['register', 'core_id', 'name', 'legal_name', 'email', 'phone', 'address'] as const;

/** The register of legal entities in PostgreSQL; of people it has keyed fingerprints of their numbers. */
export function createPostgresOrganizationRegistry(
  pool: pg.Pool,
  vault: Pick<PersonalDataVault, 'blindIndex'>,
): OrganizationRegistryStore {
  const fingerprint = (number: string) => vault.blindIndex('registrationNumber', number);
  const toRow = ({ affiliates = null, coreId, legalName, ...entry }: OrganizationEntry): Row => ({
    register: entry.register,
    core_id: coreId === null ? null : BigInt(coreId),
    name: entry.name,
    legal_name: legalName,
    email: entry.email,
    phone: entry.phone,
    address: entry.address,
    affiliates: affiliates === null ? null : affiliates.map(fingerprint).sort(),
  });
  const query = <Result extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    orUnavailable('organizationRegistry', () => pool.query<Result>(text, values));

  return {
    find: async (register) => {
      const { rows } = await query<Omit<Row, 'affiliates'>>(
        `select ${shown.join(', ')} from organization_registry where register = $1`,
        [register],
      );
      const [row] = rows;
      if (row === undefined) return null;
      const { core_id: coreId, legal_name: legalName, ...rest } = row;
      return { ...rest, coreId: coreId === null ? null : Number(coreId), legalName };
    },

    isAffiliate: async (register, registrationNumber) => {
      const { rows } = await query<{ readonly listed: boolean | null }>(
        'select $2 = any(affiliates) as listed from organization_registry where register = $1',
        [register, fingerprint(registrationNumber)],
      );
      return rows[0]?.listed ?? null;
    },

    compare: async (entries) => {
      const { rows } = await query<Row>(
        `select ${shown.join(', ')}, affiliates from organization_registry where register = any($1)`,
        [entries.map(({ register }) => register)],
      );
      const known = new Map(rows.map((row) => [row.register, row]));
      return entries.map((entry) => {
        const before = known.get(entry.register);
        if (before === undefined) return 'ADDED';
        return isDeepStrictEqual(before, toRow(entry)) ? 'UNCHANGED' : 'CHANGED';
      });
    },

    save: async (entries) => {
      const rows = entries.map(toRow);
      await query(
        `insert into organization_registry
                (register, core_id, name, legal_name, email, phone, address, affiliates)
           select register, core_id, name, legal_name, email, phone, address,
                  case when affiliates is null then null
                       else array(select jsonb_array_elements_text(affiliates)) end
             from unnest
             ($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
              $8::jsonb[])
             as given (register, core_id, name, legal_name, email, phone, address, affiliates)
         on conflict (register) do update set
                core_id = excluded.core_id, name = excluded.name, legal_name = excluded.legal_name,
                email = excluded.email, phone = excluded.phone, address = excluded.address,
                affiliates = excluded.affiliates`,
        [
          ...shown.map((column) => rows.map((row) => row[column])),
          rows.map(({ affiliates }) => (affiliates === null ? null : JSON.stringify(affiliates))),
        ],
      );
    },
  };
}
