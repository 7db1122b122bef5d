import { type Kysely, sql } from 'kysely';
import {
  initialOidcClientSettings,
  type OidcClientSettings,
} from '../domain/oidcClient/settings.ts';
import type { ListPart } from '../application/ports/listSnapshot.ts';
import type { Database } from './database.ts';
import { records } from './engine/readModel.ts';
import { nameOrder } from './engine/nameOrder.ts';
import type { ListedTable, Sorts } from './engine/snapshots.ts';
import { sortedKeys } from './engine/sorted.ts';
import { searchPattern } from './engine/search.ts';

/** A client as lists show it; nothing secret. */
export interface ListedOidcClient {
  readonly clientId: string;
  readonly relyingPartyId: string;
  readonly settings: OidcClientSettings;
  readonly active: boolean;
  readonly registeredAt: string;
}

/** Filter of a list of clients. */
export interface OidcClientFilter extends ListPart {
  /** Of the names or the client_id, or the relying party's id in full; blank: any. */
  readonly query: string;
  /** Null: both. */
  readonly active: boolean | null;
}

/** Columns of the list of clients that it can be sorted by; there are few enough to do it without an index. */
export const oidcClientSorts = {
  name: nameOrder('name'),
  active: { value: sql`active`, type: 'boolean' },
  registeredAt: { value: sql`registered_at`, type: 'timestamptz' },
} as const satisfies Sorts;

const newest = { by: 'registeredAt', isDescending: true } as const;

const listed: ListedTable = {
  table: 'oidc_client_view',
  time: 'registered_at',
  key: 'client_id',
  sorts: oidcClientSorts,
};

const shown = ['client_id', 'relying_party_id', 'settings', 'active', 'registered_at'] as const;
const toListed = records(shown);

/** Pages of clients, the newest first unless wished otherwise. */
export function createOidcClientPages(database: Kysely<Database>) {
  return {
    /** The client_ids of a relying party. */
    async clientsOf(relyingPartyId: string): Promise<readonly string[]> {
      const rows = await database
        .selectFrom('oidc_client_view')
        .select('client_id')
        .where('relying_party_id', '=', relyingPartyId)
        .execute();
      return rows.map(({ client_id: clientId }) => clientId);
    },
    async oidcClientPage({ query, active, sort = newest, ...part }: OidcClientFilter) {
      const wanted = searchPattern(query);
      const isFound =
        wanted.trim() === ''
          ? sql<boolean>`true`
          : sql<boolean>`(strpos(search, ${wanted}) > 0 or relying_party_id = ${wanted})`;
      const where = active === null ? isFound : sql<boolean>`${isFound} and active = ${active}`;
      const found = await sortedKeys(database, listed, where, { ...part, sort });
      const rows = await database
        .selectFrom('oidc_client_view')
        .select(shown)
        .where('client_id', '=', sql<string>`any(${found.keys}::text[])`)
        .orderBy(sql`array_position(${found.keys}::text[], client_id)`)
        .execute();
      const items = rows.map((row): ListedOidcClient => ({
        ...toListed(row),
        // A setting that came after the row was made is at its initial value until the table is made anew.
        settings: { ...initialOidcClientSettings, ...row.settings },
      }));
      return { ...found, items };
    },
  };
}
