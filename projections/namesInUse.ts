import { type Kysely, sql } from 'kysely';
import type { NamesInUse } from '../application/names/ports/namesInUse.ts';
import { foldedName } from '../domain/shared/foldedName.ts';
import type { Database } from './database.ts';

/**
 * Reads names in use: all of relying parties, which are few, and those of organizations by their folded form.
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
    return [...rows, platform]
      .filter(({ name }) => name !== null && foldedName(name) === folded)
      .map(holderOf);
  }

  /** One that is revoked is shown no more. */
  async function organizations(folded: string): Promise<readonly string[]> {
    const { rows } = await sql<Pick<NamedHolder, 'holder'>>`
      select register as holder from organization_view
      where folded_names @> ${JSON.stringify([folded])}::jsonb and status <> 'REVOKED'
    `.execute(database);
    return rows.map(holderOf);
  }

  return {
    async usersOf(scope, name) {
      const folded = foldedName(name);
      const users = scope === 'ORGANIZATION' ? organizations : relyingParties;
      return [...new Set(await users(folded))];
    },
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
