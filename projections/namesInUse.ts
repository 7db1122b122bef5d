import { type Kysely, sql } from 'kysely';
import type { NamesInUse } from '../application/names/ports/namesInUse.ts';
import { foldedName } from '../domain/shared/foldedName.ts';
import type { Database } from './database.ts';
import { gramsOf, searchText } from './engine/search.ts';

/** Reads names in use: all of relying parties, which are few, and those of organizations by their letters. */
export function createNamesInUse(database: Kysely<Database>): NamesInUse {
  async function relyingParties(): Promise<readonly NamedRow[]> {
    const { rows } = await sql<NamedRow>`
      select relying_party_id as holder, name from relying_party_view
      union all
      select relying_party_id, jsonb_array_elements_text(aliases) from relying_party_view
      union all
      select relying_party_id, unnest(array[name, settings ->> 'nameEn']) from oidc_client_view
    `.execute(database);
    return rows;
  }

  /** Contains all grams of the name, so also those of another case or spacing. */
  async function organizations(name: string): Promise<readonly NamedRow[]> {
    const grams = JSON.stringify(gramsOf(searchText([name])));
    const { rows } = await sql<NamedRow>`
      select register as holder, unnest(array[name, name_latin]) as name
      from organization_view
      where grams @> ${grams}::jsonb
    `.execute(database);
    return rows;
  }

  return {
    async usersOf(scope, name) {
      const folded = foldedName(name);
      const rows = await (scope === 'ORGANIZATION' ? organizations(name) : relyingParties());
      const same = rows.filter((row) => row.name !== null && foldedName(row.name) === folded);
      return [...new Set(same.map(({ holder }) => holder))];
    },
  };
}

interface NamedRow {
  readonly holder: string;
  readonly name: string | null;
}
