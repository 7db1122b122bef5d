import type { Kysely } from 'kysely';
import type { ConsentScope } from '../domain/shared/consentScopes.ts';
import type { Database } from './database.ts';

/** A consent in force. */
export interface ListedConsent {
  readonly clientId: string;
  readonly scopes: readonly ConsentScope[];
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
          clientId,
          scopes,
          givenAt: changed.toISOString(),
        }));
    },
  };
}
