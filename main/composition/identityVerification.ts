import type { OperatorGuards } from '../../api/admin/guard.ts';
import type { IdentityVerificationState } from '../../api/admin/systemRoutes.ts';
import { identityVerificationRoutes } from '../../api/admin/identityVerificationRoutes.ts';
import { createAddressLimit } from '../../api/bounds/admission.ts';
import { listedMethods } from '../../api/kyc/methods.ts';
import { createKycRoutes } from '../../api/kyc/routes.ts';
import { createIdentityVerifications } from '../../application/identityVerification/identityVerifications.ts';
import { createVerificationExpiry } from '../../application/reactors/expireIdentityVerificationWhenTimeIsUp.ts';
import {
  activatingSettings,
  identityProofing,
} from '../../infrastructure/config/identityVerificationSettings.ts';
import { createVerificationSecrets } from '../../infrastructure/codec/verificationSecrets.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { createRedisAttemptLimits } from '../../infrastructure/redis/redisAttemptLimits.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import { createIdentityVerificationViews } from '../../projections/identityVerifications.ts';
import type { Names } from '../../projections/names.ts';
import { createIdentityProviders } from './identityProviders.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

export interface IdentityVerificationArea {
  readonly module: ServiceModule;
  /** State of each method for operators. */
  readonly states: () => readonly IdentityVerificationState[];
}

/** Identity verification: the configured providers, and their common flow. */
export function composeIdentityVerification(
  { config, foundation, aggregates, effects, keys }: Core,
  guards: OperatorGuards,
  names: Names,
): IdentityVerificationArea {
  const { clock, randomness, eventStore, metrics, vault, redis } = foundation;
  const { database, leaderLock, lists, civilRegistry } = foundation;
  const views = failingFast(createIdentityVerificationViews({ database, vault, lists }));
  const base = config.SVC_BASE_URL ?? publicAddresses(config).rpApi;
  const { root, issuing } = keys.authority.certificates;
  const { providers, partners, start } = createIdentityProviders(config, {
    ownAuthorities: [root, ...issuing],
    base,
    civilRegistry,
    clock,
    metrics,
    outside: foundation.outside,
    log: foundation.log,
  });
  const verifications = createIdentityVerifications({
    eventStore,
    clock,
    randomness,
    count: metrics.identityVerification,
  });
  return {
    module: {
      routes: [
        ...identityVerificationRoutes({ guards, views, eventStore, clock, names }),
        ...createKycRoutes({
          verifications,
          verificationSecrets: createVerificationSecrets(foundation.derivationKey),
          providers,
          civilRegistry,
          clock,
          randomness,
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
            {
              name: 'tamga:ip',
              setting: 'SVC_KYC_REQUESTS_PER_MINUTE',
              redis: redis?.client ?? null,
            },
            config.SVC_KYC_REQUESTS_PER_MINUTE,
          ),
          unprovedLevel: identityProofing(config).unprovedLevel,
          base,
          danReturnUrl: config.SVC_KYC_DAN_RETURN_URL ?? `${config.SVC_APP_SCHEME}://kyc/dan`,
        }),
      ],
      reactors: [
        createVerificationExpiry({
          verifications,
          overdue: views,
          clock,
          leaderLock,
          onFailure: effects.onFailure,
        }),
      ],
      partners: Object.fromEntries(
        Object.values(partners).map(({ name, check }) => [name, check] as const),
      ),
      start,
    },
    states: () =>
      listedMethods(providers).map(({ method, available, reason }) => ({
        method,
        available,
        state: reason ?? (partners[method]?.isOutage() === true ? 'degraded' : 'active'),
        missing: available ? [] : [...activatingSettings[method]],
      })),
  };
}
