import { createRateLimit } from '../../api/bounds/admission.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import type { EcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { composeBrand } from './brand.ts';
import { createAggregates } from './aggregates.ts';
import { createEffects } from './effects.ts';
import { type FoundationHooks, openFoundation } from './foundation.ts';
import { composeServiceIdentities, createKeys } from './keys.ts';
import { composeQuotas } from './quotas.ts';
import {
  composePollSession,
  composePushLimits,
  composeSessionSteps,
  composeStartSession,
} from './sessions.ts';
import type { ShutdownStack } from './shutdownStack.ts';

/** Shared dependencies of the service's parts. */
export type Core = Awaited<ReturnType<typeof openCore>>;

/** Decorators of what is shared. */
export interface CoreHooks extends FoundationHooks {
  /** Decorates the threads for ECDSA over digests, or stands in for them. */
  readonly aroundDigests?: (digests: EcdsaDigestPool) => EcdsaDigestPool;
  /** False for a command that needs no key: no vault is opened, no token logged in to. Default: true. */
  readonly usesKeys?: boolean;
}

/** Opens the database and builds everything the parts share; starts nothing else. */
export async function openCore(
  config: Config,
  { aroundDigests = (digests) => digests, usesKeys = true, ...hooks }: CoreHooks,
  shutdown: ShutdownStack,
) {
  const brand = composeBrand(config);
  const foundation = await openFoundation(config, hooks, shutdown);
  const pushLimits = composePushLimits(config, foundation);
  const aggregates = createAggregates(config, foundation, pushLimits);
  const keys = createKeys(config, foundation, { aroundDigests, usesKeys, ...aggregates });
  shutdown.defer(() => keys.stop());
  const serviceIdentities = composeServiceIdentities(foundation, aggregates, keys);
  const effects = await createEffects(config, foundation, aggregates);
  const sessionSteps = composeSessionSteps(config, foundation);
  return {
    config,
    brand,
    foundation,
    aggregates,
    keys,
    serviceIdentities,
    effects,
    startSession: composeStartSession(config, foundation, { ...aggregates, pushLimits }),
    quotas: composeQuotas(config, foundation),
    sessionSteps,
    pollSession: composePollSession(config, foundation, aggregates, sessionSteps),
    /** Sessions a relying party may start a minute, over all APIs. */
    relyingPartyLimit: createRateLimit({
      name: 'tamga:rp',
      setting: 'SVC_RP_REQUESTS_PER_MINUTE',
      redis: foundation.redis?.client ?? null,
    }),
  };
}
