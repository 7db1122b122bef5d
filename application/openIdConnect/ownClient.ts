import { initialOidcClientSettings } from '../../domain/oidcClient/settings.ts';
import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { RelyingPartyData } from '../ports/referenceData.ts';

/** The platform as a client of itself, for its pages for citizens. Registered clients have UUIDs. */
export const ownClientId = 'tamga';

/** Hash of no known secret: codes of this client cannot be exchanged. Its pages need only the login. */
const NOBODYS_SECRET = '0'.repeat(64);

/** The platform's own client, in the name of its relying party; null while operators have deactivated that. */
export type FindOwnClient = () => Promise<RegisteredOidcClient | null>;

export function createOwnClient({
  relyingParty,
  returnAddresses,
}: {
  /** Registered on first use. */
  readonly relyingParty: { get(): Promise<Pick<RelyingPartyData, 'relyingPartyId' | 'active'>> };
  /** Return addresses after the login, of its pages. */
  readonly returnAddresses: () => readonly string[];
}): FindOwnClient {
  return async () => {
    const { relyingPartyId, active } = await relyingParty.get();
    if (!active) return null;
    return {
      status: 'ACTIVE',
      clientId: ownClientId,
      relyingPartyId,
      settings: {
        ...initialOidcClientSettings,
        name: 'Миний хуудас',
        nameEn: 'My page',
        redirectUris: returnAddresses(),
        scopes: ['openid'],
        sector: ownClientId,
      },
      secretHash: NOBODYS_SECRET,
      handOver: null,
      registeredAt: new Date(0).toISOString(),
    };
  };
}
