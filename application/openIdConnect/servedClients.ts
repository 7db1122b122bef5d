import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { RelyingPartyReferenceData } from '../ports/referenceData.ts';
import type { OidcClients } from './aggregates.ts';
import { type FindOwnClient, ownClientId } from './ownClient.ts';

/** Finds an active client; null: unknown or deactivated, or its relying party is. */
export type FindClient = (clientId: string) => Promise<RegisteredOidcClient | null>;

export function createFindClient({
  clients,
  referenceData,
  own,
}: {
  readonly clients: Pick<OidcClients, 'load'>;
  readonly referenceData: RelyingPartyReferenceData;
  readonly own: FindOwnClient;
}): FindClient {
  return async (clientId) => {
    if (clientId === ownClientId) return own();
    const { state } = await clients.load(clientId);
    if (state.status !== 'ACTIVE') return null;
    const party = await referenceData.relyingParty(state.relyingPartyId);
    return party?.active === true ? state : null;
  };
}
