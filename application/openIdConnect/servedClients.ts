import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { RelyingPartyReferenceData } from '../ports/referenceData.ts';
import { type FindOwnClient, ownClientId } from './ownClient.ts';

/** Finds an active client; null: unknown or deactivated, or its relying party is. */
export type FindClient = (clientId: string) => Promise<RegisteredOidcClient | null>;

/** A client whatever its status; null: never registered. */
export type ClientOf = (clientId: string) => Promise<RegisteredOidcClient | null>;

export function createFindClient({
  clientOf,
  referenceData,
  own,
}: {
  readonly clientOf: ClientOf;
  readonly referenceData: RelyingPartyReferenceData;
  readonly own: FindOwnClient;
}): FindClient {
  return async (clientId) => {
    if (clientId === ownClientId) return own();
    const client = await clientOf(clientId);
    if (client?.status !== 'ACTIVE') return null;
    const party = await referenceData.relyingParty(client.relyingPartyId);
    return party?.active === true ? client : null;
  };
}
