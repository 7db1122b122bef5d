import { readFileSync } from 'node:fs';
import { createCitizenCardProvider } from '../../application/identityVerification/citizenCardProvider.ts';
import type { CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  IdentityProvider,
  IdentityProviders,
} from '../../application/identityVerification/ports/identityProvider.ts';
import type { Log } from '../../application/ports/log.ts';
import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { identityProofing } from '../../infrastructure/config/identityVerificationSettings.ts';
import { createAuthorizationServer } from '../../infrastructure/identity/authorizationServer.ts';
import { createDanProvider } from '../../infrastructure/identity/danProvider.ts';
import {
  type CountryAuthorities,
  readCountryAuthorities,
} from '../../infrastructure/passport/countryAuthorities.ts';
import {
  createRevocationFiles,
  type RevocationFiles,
} from '../../infrastructure/passport/countryRevocations.ts';
import { createPassportProvider } from '../../infrastructure/passport/passportProvider.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import type { Outside } from '../../infrastructure/outside/bounds.ts';
import { createGsignProvider } from '../../infrastructure/pki/gsignProvider.ts';
import { createOcspClient } from '../../infrastructure/pki/ocsp/client.ts';
import { trustAnchors } from './trustAnchors.ts';
import {
  createPartnerHealth,
  type PartnerHealth,
} from '../../infrastructure/telemetry/partnerHealth.ts';
import type { Metrics } from '../../infrastructure/telemetry/metrics.ts';

interface ProviderParts {
  /** Public origin of the platform. */
  readonly base: string;
  readonly civilRegistry: CivilRegistry;
  /** DER, of the platform's own authorities. */
  readonly ownAuthorities: readonly Buffer[];
  readonly clock: Clock;
  readonly outside: Outside;
  readonly metrics: Pick<Metrics, 'externalRequest'>;
  readonly log: Log;
}

export interface ConfiguredProviders {
  /** Contains only configured providers. */
  readonly providers: IdentityProviders;
  /** External systems that active methods depend on, by method. */
  readonly partners: Readonly<Partial<Record<VerificationMethod, PartnerHealth>>>;
  /** Checks files that are read again later. @throws Error naming the setting */
  start(): Promise<void>;
}

/** Creates the configured identity providers. */
export function createIdentityProviders(
  config: Config,
  modules: ProviderParts,
): ConfiguredProviders {
  const { civilRegistry, clock } = modules;
  const health = {
    dan: createPartnerHealth('dan', clock),
    gsign: createPartnerHealth('certificateStatus', clock),
  };
  const dan = danProvider(config, modules, health.dan);
  const gsign = gsignProvider(config, modules, health.gsign);
  const { passport, revocations } = passportProvider(config, modules);
  return {
    providers: {
      ...(identityProofing(config).citizenCard && {
        citizenCard: createCitizenCardProvider({ civilRegistry }),
      }),
      ...(dan && { dan }),
      ...(gsign && { gsign }),
      ...(passport && { passport }),
    },
    partners: { ...(dan && { dan: health.dan }), ...(gsign && { gsign: health.gsign }) },
    start: async () => {
      await revocations?.current().catch((cause: unknown) => {
        throw new Error('SVC_KYC_PASSPORT_CRL: no usable revocation list was found.', { cause });
      });
    },
  };
}

interface PassportParts {
  readonly passport: IdentityProvider<'passport'> | null;
  readonly revocations: RevocationFiles | null;
}

function passportProvider(
  config: Config,
  { civilRegistry, clock, log, outside }: ProviderParts,
): PassportParts {
  const { SVC_KYC_PASSPORT_CSCA: trusted, SVC_KYC_PASSPORT_CRL: revoked } = config;
  if (trusted === undefined) return { passport: null, revocations: null };
  const authorities = openCountryAuthorities(trusted, log);
  const { certificates } = authorities;
  const revocations =
    revoked === undefined
      ? null
      : createRevocationFiles({
          path: revoked,
          authorities: certificates,
          log,
          clock,
          access: outside.open('countryRevocations', { isOutage: () => true }),
        });
  const chipProof = config.SVC_KYC_PASSPORT_CHIP;
  const options = { civilRegistry, clock, authorities, revocations, chipProof };
  return { passport: createPassportProvider(options), revocations };
}

function danProvider(
  config: Config,
  { base, civilRegistry, clock, metrics, outside }: ProviderParts,
  health: PartnerHealth,
): IdentityProvider<'dan'> | null {
  const { SVC_KYC_DAN_AUTHORIZE_URL: authorizeUrl, SVC_KYC_DAN_TOKEN_URL: tokenUrl } = config;
  const { SVC_KYC_DAN_USERINFO_URL: userinfoUrl, SVC_KYC_DAN_CLIENT_ID: clientId } = config;
  const { SVC_KYC_DAN_CLIENT_SECRET: clientSecret, SVC_KYC_DAN_SCOPE: scope } = config;
  // Required together (`incompleteIdentityVerification`).
  if (authorizeUrl === undefined || tokenUrl === undefined || userinfoUrl === undefined)
    return null;
  if (clientId === undefined || clientSecret === undefined) return null;
  const server = createAuthorizationServer(
    {
      authorizeUrl,
      tokenUrl,
      userinfoUrl,
      clientId,
      clientSecret,
      scope,
      redirectUri: `${base}/v3/kyc/dan/callback`,
      timeoutMs: config.SVC_KYC_DAN_TIMEOUT * 1000,
    },
    (operation, status, seconds) => {
      health.saw(status);
      metrics.externalRequest('dan', operation, status, seconds);
    },
  );
  const { exchange, userinfo } = server;
  const access = outside.open('dan', { timeoutMs: config.SVC_KYC_DAN_TIMEOUT * 1000 + 1000 });
  return createDanProvider({
    server: { ...server, ...withinBound(access, { exchange, userinfo }) },
    clientId,
    scope,
    civilRegistry,
    clock,
    claims: config.SVC_KYC_DAN_CLAIMS,
    issuer: new URL(authorizeUrl).origin,
    idTokenIssuer: config.SVC_KYC_DAN_ISSUER ?? null,
  });
}

function gsignProvider(
  config: Config,
  { civilRegistry, ownAuthorities: own, clock, metrics, outside, log }: ProviderParts,
  health: PartnerHealth,
): IdentityProvider<'gsign'> | null {
  if (config.SVC_KYC_GSIGN_TRUST === undefined) return null;
  const onCalled = (status: string, seconds: number) => {
    health.saw(status);
    metrics.externalRequest('ocsp', 'status', status, seconds);
  };
  return createGsignProvider({
    anchors: trustAnchors('SVC_KYC_GSIGN_TRUST', config.SVC_KYC_GSIGN_TRUST, log),
    own,
    civilRegistry,
    clock,
    status:
      config.SVC_KYC_GSIGN_OCSP === 'none'
        ? null
        : withinBound(outside.open('certificateStatus'), createOcspClient({ clock, onCalled })),
  });
}

/** @throws Error when the file is unreadable or not a list of authorities */
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
    throw new Error(`SVC_KYC_PASSPORT_CSCA: ${path} is not a usable list of authorities.`, {
      cause,
    });
  }
}
