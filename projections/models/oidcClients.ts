import { type OidcClientEvent, oidcClientEvents } from '../../domain/oidcClient/events.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { hasSecret } from '../../domain/oidcClient/oidcClient.ts';
import { settingsIn } from '../../domain/oidcClient/settings.ts';
import { referenceDataTopic } from '../../domain/shared/streams.ts';
import { boolean, int8, jsonb, type RowOf, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';
import { searchText } from '../engine/search.ts';

const columns = {
  client_id: text(),
  relying_party_id: text(),
  name: text(),
  settings: jsonb<OidcClientSettings>(),
  has_secret: boolean(),
  active: boolean(),
  registered_at: timestamptz(),
  /** Searchable text, lower case. */
  search: text(),
  revision: int8(),
};

/** A client of the OpenID Connect provider as folded; times are ISO strings. */
export type OidcClientRow = RowOf<typeof columns>;

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
    case 'OidcClientSecretOffered':
      return row;
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
    name,
    settings,
    has_secret: hasSecret(settings),
    search: searchText([name, nameEn ?? '', clientId]),
  };
}

/** The clients of the OpenID Connect provider, table `oidc_client_view`. */
export const oidcClientsReadModel = readModel({
  name: 'oidcClients',
  table: 'oidc_client_view',
  version: 9,
  events: oidcClientEvents,
  key: 'client_id',
  columns,
  shown: ['settings', 'has_secret', 'active'],
  evolve,
  topics: (row) => [referenceDataTopic('oidcClient', row.client_id)],
});
