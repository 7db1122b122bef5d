import { createSecretKey } from 'node:crypto';
import { devicePages } from '../../../api/openIdConnect/devicePages.ts';
import { providerPages } from '../../../api/openIdConnect/providerPages.ts';
import { brandOf } from '../../../api/pages/brand.ts';
import { createOidcEngine, type OidcEngineOptions } from '../../../infrastructure/oidc/engine.ts';
import { systemClock } from '../../../infrastructure/system.ts';

/** Refuses what a test has no use for. */
export function never(): never {
  throw new Error('Nobody asks for it.');
}

const DAY_S = 86_400;
const aKey = () => createSecretKey(Buffer.alloc(32, 1));

/** Options a test names; of the others that lead outside, none is used. */
type Named = Partial<Omit<OidcEngineOptions, 'host'>> &
  Pick<OidcEngineOptions, 'issuer' | 'keyVault' | 'state'> & {
    readonly host: Partial<OidcEngineOptions['host']>;
  };

/** Makes the OpenID Connect provider alone, without the service around it. */
export function loneEngine({ host, ...named }: Named) {
  return createOidcEngine({
    onLeftOut: never,
    signingLabels: () => Promise.resolve(['oidc-test']),
    backchannel: { accountOf: never, begin: never, stateOf: never },
    clock: systemClock,
    pages: { ...providerPages(brandOf({})), ...devicePages(brandOf({})) },
    admitUserCode: () => Promise.resolve(),
    clientLimit: { expectLeft: () => undefined, count: () => Promise.resolve() },
    civilIdOf: never,
    registerOf: never,
    keys: { cookies: aKey(), pairwiseSubjects: aKey(), dpopNonces: aKey() },
    lifetimes: {
      session: DAY_S,
      interaction: DAY_S,
      accessToken: DAY_S,
      idToken: DAY_S,
      refreshToken: DAY_S,
      grant: DAY_S,
    },
    interactionPath: (uid) => `/login/${uid}`,
    reachesPrivateNetworks: false,
    onFailure: (cause) => {
      throw cause;
    },
    onUntold: never,
    tellLogout: never,
    ...named,
    host: {
      client: never,
      account: never,
      email: never,
      consentedScopes: never,
      apisOf: () => Promise.resolve([]),
      exchanged: never,
      loggedOut: never,
      registerIn: never,
      contextClasses: [],
      satisfies: never,
      refused: never,
      ...host,
    },
  });
}
