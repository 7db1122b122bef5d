import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { RelyingPartyReferenceData } from '../ports/referenceData.ts';
import { type FindOwnClient, ownClientId } from './ownClient.ts';

/** Finds an active client; null: unknown or deactivated, or its relying party is. */
export type FindClient = (clientId: string) => Promise<RegisteredOidcClient | null>;

export function createFindClient({
  clientOf,
  referenceData,
  own,
}: {
  /** Null: never registered. */
  readonly clientOf: (clientId: string) => Promise<RegisteredOidcClient | null>;
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
