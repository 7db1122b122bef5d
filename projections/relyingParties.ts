import { type Kysely, type Selectable, sql } from 'kysely';
import type { RelyingPartyFact, RelyingPartyFacts } from '../application/ports/facts.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { RelyingPartyEvent, RelyingPartySettings } from '../domain/relyingParty/events.ts';
import { evolveSubsystems } from '../domain/relyingParty/subsystems.ts';
import type { RelyingPartyRow, RelyingPartyTable, Database } from './database.ts';
import { createSearch } from './listing.ts';
import type { Lists } from './lists.ts';
import { readModel } from './readModel.ts';
import { gramsOf, searchText } from './search.ts';

// Projection

function evolve(
  row: RelyingPartyRow | undefined,
  event: RelyingPartyEvent,
): RelyingPartyRow | undefined {
  if (event.type === 'RelyingPartyRegistered') {
    const { relyingPartyId, secretHash, registeredAt } = event.data;
    return {
      ...settingColumns(relyingPartyId, event.data),
      relying_party_id: relyingPartyId,
      secret_hash: secretHash,
      registered_at: registeredAt,
      active: true,
      subsystems: [],
      revision: 0n,
    };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'SecretRotated':
      return { ...row, secret_hash: event.data.secretHash };
    case 'RelyingPartyDeactivated':
      return { ...row, active: false };
    case 'RelyingPartyReactivated':
      return { ...row, active: true };
    case 'RelyingPartyEdited':
      return { ...row, ...settingColumns(row.relying_party_id, event.data) };
    default:
      return { ...row, subsystems: evolveSubsystems(row.subsystems, event) };
  }
}

function settingColumns(relyingPartyId: string, settings: RelyingPartySettings) {
  const { requestsPerMinute } = settings;
  const search = searchText([settings.name, relyingPartyId]);
  return {
    name: settings.name,
    callback_hosts: settings.callbackHosts,
    ip_allowlist: settings.ipAllowlist,
    client_certificates: settings.clientCertificates,
    permissions: settings.permissions,
    first_party: settings.firstParty,
    requests_per_minute: requestsPerMinute === null ? null : BigInt(requestsPerMinute),
    smart_id_statuses: settings.smartIdStatuses,
    search,
    grams: gramsOf(search),
  };
}

/** The relying parties read model, table `relying_party_view`. */
export const relyingPartiesReadModel = readModel<RelyingPartyRow, RelyingPartyEvent>({
  name: 'relyingParties',
  table: 'relying_party_view',
  category: 'relyingParty',
  key: 'relying_party_id',
  columns: {
    relying_party_id: 'text',
    name: 'text',
    secret_hash: 'text',
    callback_hosts: 'jsonb',
    ip_allowlist: 'jsonb',
    client_certificates: 'jsonb',
    permissions: 'jsonb',
    first_party: 'boolean',
    requests_per_minute: 'int8',
    smart_id_statuses: 'boolean',
    active: 'boolean',
    subsystems: 'jsonb',
    registered_at: 'timestamptz',
    search: 'text',
    grams: 'jsonb',
    revision: 'int8',
  },
  evolve,
  topics: (row) => [factTopic('rp', row.relying_party_id)],
});

// Queries

const shown = [
  ...(['relying_party_id', 'active', 'name', 'secret_hash', 'callback_hosts'] as const),
  ...(['ip_allowlist', 'client_certificates', 'permissions', 'first_party'] as const),
  ...(['requests_per_minute', 'smart_id_statuses', 'subsystems'] as const),
] as const;

function toFact(
  row: Pick<Selectable<RelyingPartyTable>, Exclude<(typeof shown)[number], 'secret_hash'>>,
): RelyingPartyFact {
  return {
    relyingPartyId: row.relying_party_id,
    active: row.active,
    name: row.name,
    callbackHosts: row.callback_hosts,
    ipAllowlist: row.ip_allowlist,
    clientCertificates: row.client_certificates,
    permissions: row.permissions,
    firstParty: row.first_party,
    requestsPerMinute: row.requests_per_minute === null ? null : Number(row.requests_per_minute),
    smartIdStatuses: row.smart_id_statuses,
    subsystems: row.subsystems,
  };
}

/** Lists of relying parties. */
export interface RelyingPartyList {
  /** All relying parties, by name. */
  relyingParties(): Promise<readonly RelyingPartyFact[]>;
}

/** Which relying parties a list shows. */
export interface RelyingPartyFilter {
  /** Of the name or the UUID; blank: any. */
  readonly query: string;
  /** Null: both. */
  readonly active: boolean | null;
  readonly limit: number;
  readonly offset: number;
}

/** Pages of relying parties, the newest first. */
export function createRelyingPartyPages(dependencies: {
  readonly database: Kysely<Database>;
  readonly lists: Lists;
}) {
  const { database } = dependencies;
  const search = createSearch(dependencies, {
    table: 'relying_party_view',
    key: 'relying_party_id',
    time: 'registered_at',
    filter: 'active',
  });
  return {
    async relyingPartyPage({ active, ...wish }: RelyingPartyFilter) {
      const { keys, ...count } = await search({ ...wish, only: active });
      const rows = await database
        .selectFrom('relying_party_view')
        .select(shown)
        .where('relying_party_id', '=', sql<string>`any(${keys}::text[])`)
        .orderBy('registered_at', 'desc')
        .orderBy('relying_party_id', 'desc')
        .execute();
      return { items: rows.map(toFact), ...count };
    },
  };
}

/** Queries over the relying parties read model. */
export function createRelyingPartyFacts(
  database: Kysely<Database>,
): RelyingPartyFacts & RelyingPartyList {
  return {
    async relyingPartyBySecretHash(secretHash) {
      const row = await database
        .selectFrom('relying_party_view')
        .select(shown)
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst();
      return row === undefined ? null : { ...toFact(row), secretHash: row.secret_hash };
    },
    async relyingParty(relyingPartyId) {
      const row = await database
        .selectFrom('relying_party_view')
        .select(shown)
        .where('relying_party_id', '=', relyingPartyId)
        .executeTakeFirst();
      return row === undefined ? null : toFact(row);
    },
    async relyingParties() {
      const rows = await database
        .selectFrom('relying_party_view')
        .select(shown)
        .orderBy('name')
        .orderBy('relying_party_id')
        .execute();
      return rows.map(toFact);
    },
  };
}
