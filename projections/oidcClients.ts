import { placeAt, snapshotBehind } from '../application/ports/listSnapshot.ts';
import { type Kysely, sql } from 'kysely';
import {
  initialOidcClientSettings,
  type OidcClientSettings,
} from '../domain/oidcClient/settings.ts';
import type { ListPart } from '../application/ports/listSnapshot.ts';
import type { Database } from './database.ts';
import { records } from './engine/readModel.ts';
import type { ListedTable } from './engine/snapshots.ts';
import { beginningOf, isBehind, isUpTo, newestRow } from './engine/snapshots.ts';
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

const listed: ListedTable = {
  table: 'oidc_client_view',
  time: 'registered_at',
  key: 'client_id',
};

const shown = ['client_id', 'relying_party_id', 'settings', 'active', 'registered_at'] as const;
const toListed = records(shown);

/** Pages of clients, the newest first. */
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
    async oidcClientPage({ query, active, limit, offset, snapshot: wished }: OidcClientFilter) {
      const snapshot = wished ?? (await newestRow(database, listed));
      const beginning = beginningOf({ offset, snapshot });
      const wanted = searchPattern(query);
      let matching = database.selectFrom('oidc_client_view').where(isUpTo(listed, snapshot));
      if (wanted.trim() !== '') {
        matching = matching.where(({ eb, or }) =>
          or([sql<boolean>`strpos(search, ${wanted}) > 0`, eb('relying_party_id', '=', wanted)]),
        );
      }
      if (active !== null) matching = matching.where('active', '=', active);
      const [rows, count] = await Promise.all([
        matching
          .select(shown)
          .where(isBehind(listed, beginning.after))
          .orderBy('registered_at', 'desc')
          .orderBy('client_id', 'desc')
          .limit(limit)
          .offset(beginning.offset)
          .execute(),
        matching.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
      ]);
      const items = rows.map((row): ListedOidcClient => ({
        ...toListed(row),
        // A setting that came after the row was made is at its initial value until the table is made anew.
        settings: { ...initialOidcClientSettings, ...row.settings },
      }));
      const last = rows.at(-1);
      const place = last && placeAt(last.registered_at, last.client_id);
      return {
        items,
        total: Number(count.total),
        snapshot: snapshotBehind(snapshot, offset + rows.length, place),
      };
    },
  };
}
