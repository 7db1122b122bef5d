import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { RelyingPartyFact } from '../ports/facts.ts';

/** The platform as a client of itself: its pages for citizens. Registered clients have UUIDs. */
export const ownClientId = 'tamga';

/** The hash of no known secret: nobody takes a code of this client for tokens. What its pages need is the login alone. */
const NOBODYS_SECRET = '0'.repeat(64);

/** The platform's own client, in the name of its relying party; null while operators have that one deactivated. */
export type FindOwnClient = () => Promise<RegisteredOidcClient | null>;

export function createOwnClient({
  relyingParty,
  returnAddress,
}: {
  /** Registered at its first use. */
  readonly relyingParty: { get(): Promise<Pick<RelyingPartyFact, 'relyingPartyId' | 'active'>> };
  /** Where browsers come back to after the login. */
  readonly returnAddress: () => string;
}): FindOwnClient {
  return async () => {
    const { relyingPartyId, active } = await relyingParty.get();
    if (!active) return null;
    return {
      ...{ status: 'ACTIVE', clientId: ownClientId, relyingPartyId },
      settings: {
        ...{ name: 'Миний зөвшөөрлүүд', nameEn: 'My consents' },
        redirectUris: [returnAddress()],
        postLogoutRedirectUris: [],
        backchannelLogoutUri: null,
        ...{ authMethod: 'client_secret_basic', keys: [], scopes: ['openid'], sector: ownClientId },
        ...{ logoUri: null, clientUri: null, organization: null },
      },
      secretHash: NOBODYS_SECRET,
      registeredAt: new Date(0).toISOString(),
    };
  };
}
