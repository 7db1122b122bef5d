import type { Kysely, Selectable } from 'kysely';
import type { RelyingPartyFact, RelyingPartyFacts } from '../application/ports/facts.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { RelyingPartyEvent } from '../domain/relyingParty/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { RelyingPartyRow, RelyingPartyTable, Database } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

function evolve(
  row: RelyingPartyRow | undefined,
  event: RelyingPartyEvent,
): RelyingPartyRow | undefined {
  if (event.type === 'RelyingPartyRegistered') {
    const { data } = event;
    return {
      relying_party_id: data.relyingPartyId,
      name: data.name,
      secret_hash: data.secretHash,
      callback_hosts: data.callbackHosts,
      ip_allowlist: data.ipAllowlist,
      client_certificates: data.clientCertificates,
      permissions: data.permissions,
      first_party: data.firstParty,
      requests_per_minute: data.requestsPerMinute === null ? null : BigInt(data.requestsPerMinute),
      smart_id_statuses: data.smartIdStatuses,
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
    case 'SubsystemSeen':
      return { ...row, subsystems: [...row.subsystems, event.data.subsystem] };
    default:
      return unreachable(event);
  }
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
    revision: 'int8',
  },
  evolve,
  topics: (row) => [factTopic('rp', row.relying_party_id)],
});

// Queries

function toFact(row: Selectable<RelyingPartyTable>): RelyingPartyFact {
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

/** What the development command line lists. */
export interface RelyingPartyList {
  /** All relying parties, by name. */
  relyingParties(): Promise<readonly RelyingPartyFact[]>;
}

/** Queries over the relying parties read model. */
export function createRelyingPartyFacts(
  database: Kysely<Database>,
): RelyingPartyFacts & RelyingPartyList {
  return {
    async relyingPartyBySecretHash(secretHash) {
      const row = await database
        .selectFrom('relying_party_view')
        .selectAll()
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst();
      return row === undefined ? null : { ...toFact(row), secretHash: row.secret_hash };
    },
    async relyingParty(relyingPartyId) {
      const row = await database
        .selectFrom('relying_party_view')
        .selectAll()
        .where('relying_party_id', '=', relyingPartyId)
        .executeTakeFirst();
      return row === undefined ? null : toFact(row);
    },
    async relyingParties() {
      const rows = await database
        .selectFrom('relying_party_view')
        .selectAll()
        .orderBy('name')
        .orderBy('relying_party_id')
        .execute();
      return rows.map(toFact);
    },
  };
}
