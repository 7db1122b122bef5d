import { type Kysely, sql } from 'kysely';
import type { OidcClientEvent, OidcClientSettings } from '../domain/oidcClient/events.ts';
import { hasSecret, settingsIn } from '../domain/oidcClient/oidcClient.ts';
import type { Database, OidcClientRow } from './database.ts';
import { readModel } from './readModel.ts';
import { searchPattern, searchText } from './search.ts';

// Projection

function evolve(row: OidcClientRow | undefined, event: OidcClientEvent): OidcClientRow | undefined {
  if (event.type === 'OidcClientRegistered') {
    const { clientId, relyingPartyId, registeredAt } = event.data;
    return {
      ...settingColumns(clientId, event.data),
      client_id: clientId,
      relying_party_id: relyingPartyId,
      active: true,
      registered_at: registeredAt,
      revision: 0n,
    };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'OidcClientEdited':
      return { ...row, ...settingColumns(row.client_id, event.data) };
    case 'OidcClientDeactivated':
      return { ...row, active: false };
    case 'OidcClientReactivated':
      return { ...row, active: true };
    default:
      return row;
  }
}

function settingColumns(clientId: string, data: OidcClientSettings) {
  const settings = settingsIn(data);
  const { name, nameEn } = settings;
  return {
    ...{ name, settings },
    has_secret: hasSecret(settings),
    search: searchText([name, nameEn ?? '', clientId]),
  };
}

/** The clients of the OpenID Connect provider, table `oidc_client_view`. */
export const oidcClientsReadModel = readModel<OidcClientRow, OidcClientEvent>({
  name: 'oidcClients',
  table: 'oidc_client_view',
  category: 'oidcClient',
  key: 'client_id',
  columns: {
    client_id: 'text',
    relying_party_id: 'text',
    name: 'text',
    settings: 'jsonb',
    has_secret: 'boolean',
    active: 'boolean',
    registered_at: 'timestamptz',
    search: 'text',
    revision: 'int8',
  },
  evolve,
  topics: () => [],
});

// Queries

/** A client as lists show it; nothing secret. */
export interface ListedOidcClient {
  readonly clientId: string;
  readonly relyingPartyId: string;
  readonly settings: OidcClientSettings;
  readonly active: boolean;
  readonly registeredAt: string;
}

/** Which clients a list shows. */
export interface OidcClientFilter {
  /** Of the names or the client_id, or the relying party's id in full; blank: any. */
  readonly query: string;
  /** Null: both. */
  readonly active: boolean | null;
  readonly limit: number;
  readonly offset: number;
}

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
    async oidcClientPage({ query, active, limit, offset }: OidcClientFilter) {
      const wanted = searchPattern(query);
      let matching = database.selectFrom('oidc_client_view');
      if (wanted.trim() !== '') {
        matching = matching.where(({ eb, or }) =>
          or([sql<boolean>`strpos(search, ${wanted}) > 0`, eb('relying_party_id', '=', wanted)]),
        );
      }
      if (active !== null) matching = matching.where('active', '=', active);
      const [rows, count] = await Promise.all([
        matching
          .selectAll()
          .orderBy('registered_at', 'desc')
          .orderBy('client_id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute(),
        matching.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
      ]);
      const items = rows.map((row): ListedOidcClient => ({
        clientId: row.client_id,
        relyingPartyId: row.relying_party_id,
        settings: row.settings,
        active: row.active,
        registeredAt: row.registered_at.toISOString(),
      }));
      return { items, total: Number(count.total) };
    },
  };
}
