import { readFileSync } from 'node:fs';
import { createAddressLimit } from '../api/http/rateLimit.ts';
import { listedMethods } from '../api/kyc/methods.ts';
import { createKycRoutes } from '../api/kyc/routes.ts';
import { createCitizenCardProvider } from '../application/identityVerification/citizenCardProvider.ts';
import { createIdentityVerifications } from '../application/identityVerification/identityVerifications.ts';
import type { CivilRegistry } from '../application/ports/civilRegistry.ts';
import type { Clock } from '../application/ports/clock.ts';
import type { Log } from '../application/ports/log.ts';
import type { IdentityProviders } from '../application/ports/identityProvider.ts';
import type { Config } from '../infrastructure/config.ts';
import {
  type CountryAuthorities,
  readCountryAuthorities,
} from '../infrastructure/passport/countryAuthorities.ts';
import { createPassportProvider } from '../infrastructure/passport/passportProvider.ts';
import { publicAddresses } from '../infrastructure/publicAddresses.ts';
import { createRedisAttemptLimits } from '../infrastructure/redis/redisAttemptLimits.ts';
import { createPostgresCivilRegistry } from '../infrastructure/registry/postgresCivilRegistry.ts';
import { createMemoryAttemptLimits } from '../infrastructure/replay/memoryAttemptLimits.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

export interface IdentityVerificationArea {
  readonly part: ServicePart;
  readonly methods: ReturnType<typeof listedMethods>;
}

/** Identity verification: the providers that are configured, and the flow they share. */
export function composeIdentityVerification({
  config,
  foundation,
  aggregates,
}: Core): IdentityVerificationArea {
  const { clock, randomness, eventStore, metrics, pool, vault, redis } = foundation;
  const civilRegistry = createPostgresCivilRegistry({ pool, vault });
  const providers = createProviders(config, { civilRegistry, clock, log: foundation.log });
  const verifications = createIdentityVerifications({
    ...{ eventStore, clock, randomness, count: metrics.identityVerification },
  });
  return {
    part: {
      routes: createKycRoutes({
        ...{ verifications, providers, civilRegistry, clock, randomness },
        citizens: aggregates.citizens,
        attemptLimits:
          redis === null
            ? createMemoryAttemptLimits()
            : createRedisAttemptLimits({ redis: redis.client }),
        verificationLimits: {
          lifetimeMs: config.SVC_KYC_MINUTES * 60_000,
          attempts: config.SVC_KYC_ATTEMPTS,
        },
        addressLimit: createAddressLimit(
          { name: 'tamga:ip', redis: redis?.client ?? null },
          config.SVC_KYC_REQUESTS_PER_MINUTE,
        ),
        base: config.SVC_BASE_URL ?? publicAddresses(config).rpApi,
      }),
    },
    methods: listedMethods(providers),
  };
}

interface ProviderDependencies {
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is not configured is missing. */
function createProviders(
  config: Config,
  { civilRegistry, clock, log }: ProviderDependencies,
): IdentityProviders {
  return {
    ...(config.SVC_KYC_CITIZEN_CARD && {
      citizenCard: createCitizenCardProvider({ civilRegistry }),
    }),
    ...(config.SVC_KYC_PASSPORT_CSCA !== undefined && {
      passport: createPassportProvider({
        ...{ civilRegistry, clock },
        authorities: openCountryAuthorities(config.SVC_KYC_PASSPORT_CSCA, log),
      }),
    }),
  };
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
