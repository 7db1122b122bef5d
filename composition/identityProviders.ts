import { readFileSync } from 'node:fs';
import { createCitizenCardProvider } from '../application/identityVerification/citizenCardProvider.ts';
import type { CivilRegistry } from '../application/ports/civilRegistry.ts';
import type { Clock } from '../application/ports/clock.ts';
import type { IdentityProvider, IdentityProviders } from '../application/ports/identityProvider.ts';
import type { Log } from '../application/ports/log.ts';
import type { Config } from '../infrastructure/config.ts';
import { createAuthorizationServer } from '../infrastructure/identity/authorizationServer.ts';
import { createDanProvider } from '../infrastructure/identity/danProvider.ts';
import {
  type CountryAuthorities,
  readCountryAuthorities,
} from '../infrastructure/passport/countryAuthorities.ts';
import { createPassportProvider } from '../infrastructure/passport/passportProvider.ts';
import { createGsignProvider } from '../infrastructure/pki/gsignProvider.ts';
import { createOcspClient } from '../infrastructure/pki/ocsp/client.ts';
import { readCertificates } from '../infrastructure/pki/readCertificates.ts';
import type { Metrics } from '../infrastructure/telemetry/metrics.ts';

interface ProviderParts {
  /** Public origin of the platform. */
  readonly base: string;
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'externalRequest'>;
  readonly log: Log;
}

/** The ways to verify an identity that are configured; what is not is missing. */
export function createIdentityProviders(config: Config, parts: ProviderParts): IdentityProviders {
  const { civilRegistry, clock, log } = parts;
  const dan = danProvider(config, parts);
  const gsign = gsignProvider(config, parts);
  return {
    ...(config.SVC_KYC_CITIZEN_CARD && {
      citizenCard: createCitizenCardProvider({ civilRegistry }),
    }),
    ...(dan && { dan }),
    ...(gsign && { gsign }),
    ...(config.SVC_KYC_PASSPORT_CSCA !== undefined && {
      passport: createPassportProvider({
        ...{ civilRegistry, clock },
        authorities: openCountryAuthorities(config.SVC_KYC_PASSPORT_CSCA, log),
      }),
    }),
  };
}

function danProvider(
  config: Config,
  { base, civilRegistry, clock, metrics }: ProviderParts,
): IdentityProvider<'dan'> | null {
  const { SVC_KYC_DAN_AUTHORIZE_URL: authorizeUrl, SVC_KYC_DAN_TOKEN_URL: tokenUrl } = config;
  const { SVC_KYC_DAN_USERINFO_URL: userinfoUrl, SVC_KYC_DAN_CLIENT_ID: clientId } = config;
  const { SVC_KYC_DAN_CLIENT_SECRET: clientSecret, SVC_KYC_DAN_SCOPE: scope } = config;
  // They come together (`incompleteIdentityVerification`).
  if (authorizeUrl === undefined || tokenUrl === undefined || userinfoUrl === undefined)
    return null;
  if (clientId === undefined || clientSecret === undefined) return null;
  const server = createAuthorizationServer(
    {
      ...{ authorizeUrl, tokenUrl, userinfoUrl, clientId, clientSecret, scope },
      redirectUri: `${base}/v3/kyc/dan/callback`,
      timeoutMs: config.SVC_KYC_DAN_TIMEOUT * 1000,
    },
    (operation, status, seconds) => metrics.externalRequest('dan', operation, status, seconds),
  );
  return createDanProvider({
    ...{ server, clientId, scope, civilRegistry, clock, claims: config.SVC_KYC_DAN_CLAIMS },
    issuer: new URL(authorizeUrl).origin,
  });
}

function gsignProvider(
  config: Config,
  { civilRegistry, clock, metrics }: ProviderParts,
): IdentityProvider<'gsign'> | null {
  if (config.SVC_KYC_GSIGN_TRUST === undefined) return null;
  const onCalled = (status: string, seconds: number) =>
    metrics.externalRequest('ocsp', 'status', status, seconds);
  return createGsignProvider({
    ...{ anchors: readCertificates(config.SVC_KYC_GSIGN_TRUST), civilRegistry, clock },
    status: config.SVC_KYC_GSIGN_OCSP === 'none' ? null : createOcspClient({ clock, onCalled }),
  });
}

/** @throws Error when the file cannot be read or is no list of authorities */
function openCountryAuthorities(path: string, log: Log): CountryAuthorities {
  try {
    const authorities = readCountryAuthorities(readFileSync(path));
    const { certificates, unreadable } = authorities;
    log.info(
      { certificates: certificates.length, unreadable },
      'Country authorities of passports.',
    );
    return authorities;
  } catch (cause) {
    throw new Error(`SVC_KYC_PASSPORT_CSCA: ${path} is no usable list of authorities.`, { cause });
  }
}
