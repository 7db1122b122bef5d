import { type Kysely, sql } from 'kysely';
import type { NamesInUse } from '../application/names/ports/namesInUse.ts';
import { foldedName } from '../domain/shared/foldedName.ts';
import type { Database } from './database.ts';

/**
 * Reads names in use: all of relying parties, sectors and APIs, which are few, and those of organizations by their folded form.
 *
 * @param platform as a relying party, whose name is nobody else's also before it is registered
 */
export function createNamesInUse(database: Kysely<Database>, platform: NamedHolder): NamesInUse {
  async function relyingParties(folded: string): Promise<readonly string[]> {
    const { rows } = await sql<NamedRow>`
      select relying_party_id as holder, name from relying_party_view
      union all
      select relying_party_id, jsonb_array_elements_text(aliases) from relying_party_view
      union all
      select relying_party_id, unnest(array[name, settings ->> 'nameEn']) from oidc_client_view
    `.execute(database);
    return holdersOf([...rows, platform], folded);
  }

  /** One that is revoked is shown no more. */
  async function organizations(folded: string): Promise<readonly string[]> {
    const { rows } = await sql<Pick<NamedHolder, 'holder'>>`
      select register as holder from organization_view
      where folded_names @> ${JSON.stringify([folded])}::jsonb and status <> 'REVOKED'
    `.execute(database);
    return rows.map(holderOf);
  }

  /** Those of deactivated APIs, too, which may be active again. */
  async function apis(folded: string): Promise<readonly string[]> {
    const { rows } = await sql<NamedRow>`
      select client_id as holder, settings ->> 'audience' as name from oidc_client_view
    `.execute(database);
    return holdersOf(rows, folded);
  }

  async function sectors(folded: string): Promise<readonly string[]> {
    const { rows } = await sql<NamedRow>`
      select relying_party_id as holder, settings ->> 'sector' as name from oidc_client_view
    `.execute(database);
    return holdersOf(rows, folded);
  }

  const usersOf = {
    RELYING_PARTY: relyingParties,
    ORGANIZATION: organizations,
    AUDIENCE: apis,
    SECTOR: sectors,
  };

  return {
    usersOf: async (scope, name) => [...new Set(await usersOf[scope](foldedName(name)))],
  };
}

export interface NamedHolder {
  readonly holder: string;
  readonly name: string;
}

const holderOf = ({ holder }: Pick<NamedHolder, 'holder'>): string => holder;

interface NamedRow {
  readonly holder: string;
  readonly name: string | null;
}

function holdersOf(rows: readonly NamedRow[], folded: string): readonly string[] {
  return rows.filter(({ name }) => name !== null && foldedName(name) === folded).map(holderOf);
}
