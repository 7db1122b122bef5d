import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { RelyingPartyFacts } from '../ports/facts.ts';
import type { OidcClients } from './aggregates.ts';
import { type FindOwnClient, ownClientId } from './ownClient.ts';

/** A client that may be served now; null: it is unknown, deactivated, or its relying party is. */
export type FindClient = (clientId: string) => Promise<RegisteredOidcClient | null>;

export function createFindClient({
  clients,
  facts,
  own,
}: {
  readonly clients: Pick<OidcClients, 'load'>;
  readonly facts: RelyingPartyFacts;
  readonly own: FindOwnClient;
}): FindClient {
  return async (clientId) => {
    if (clientId === ownClientId) return own();
    const { state } = await clients.load(clientId);
    if (state.status !== 'ACTIVE') return null;
    const party = await facts.relyingParty(state.relyingPartyId);
    return party?.active === true ? state : null;
  };
}
