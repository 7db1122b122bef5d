import { consentEvents } from '../../domain/consent/events.ts';
import type { ConsentScope } from '../../domain/shared/consentScopes.ts';
import { int8, jsonb, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  consent_id: text(),
  civil_id: text(),
  client_id: text(),
  /** Empty: withdrawn. */
  scopes: jsonb<readonly ConsentScope[]>(),
  changed_at: timestamptz(),
  revision: int8(),
};

/** Citizens' consents, table `consent_view`; a withdrawn one stays, without scopes. */
export const consentsReadModel = readModel({
  name: 'consents',
  table: 'consent_view',
  events: consentEvents,
  key: 'consent_id',
  columns,
  shown: ['scopes'],
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
