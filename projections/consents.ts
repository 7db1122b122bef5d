import type { Kysely } from 'kysely';
import type { ConsentEvent } from '../domain/consent/events.ts';
import type { OpenIdScopeName } from '../domain/shared/openIdScopes.ts';
import type { ConsentRow, Database } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

/** Citizens' consents, table `consent_view`; a withdrawn one stays, without scopes. */
export const consentsReadModel = readModel<ConsentRow, ConsentEvent>({
  name: 'consents',
  table: 'consent_view',
  category: 'consent',
  key: 'consent_id',
  columns: {
    consent_id: 'text',
    civil_id: 'text',
    client_id: 'text',
    scopes: 'jsonb',
    changed_at: 'timestamptz',
    revision: 'int8',
  },
  evolve: (_row, event, consentId) => {
    const { civilId, clientId } = event.data;
    const isGiven = event.type === 'ConsentGiven';
    return {
      consent_id: consentId,
      civil_id: civilId,
      client_id: clientId,
      scopes: isGiven ? event.data.scopes : [],
      changed_at: isGiven ? event.data.givenAt : event.data.withdrawnAt,
      revision: 0n,
    };
  },
  topics: () => [],
});

// Queries

/** A consent in force. */
export interface ListedConsent {
  readonly clientId: string;
  readonly scopes: readonly OpenIdScopeName[];
  /** ISO 8601: when the citizen agreed last. */
  readonly givenAt: string;
}

/** Lists of consents. */
export function createConsentLists(database: Kysely<Database>) {
  return {
    /** The citizen's consents in force, the newest first. */
    async consentsOf(civilId: string): Promise<readonly ListedConsent[]> {
      const rows = await database
        .selectFrom('consent_view')
        .selectAll()
        .where('civil_id', '=', civilId)
        .orderBy('changed_at', 'desc')
        .execute();
      return rows
        .filter(({ scopes }) => scopes.length > 0)
        .map(({ client_id: clientId, scopes, changed_at: changed }) => ({
          ...{ clientId, scopes },
          givenAt: changed.toISOString(),
        }));
    },
  };
}
