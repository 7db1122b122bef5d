import type { OperatorGuards } from '../../api/admin/guard.ts';
import { webhookRoutes } from '../../api/admin/webhookRoutes.ts';
import { ownWebhookRoutes } from '../../api/rp/webhookRoutes.ts';
import type { Documents } from '../../application/document/documents.ts';
import {
  createWebhookDelivery,
  webhookChannel,
  webhookJob,
} from '../../application/webhooks/deliverWebhooks.ts';
import {
  createTelling,
  createWebhookSweep,
} from '../../application/webhooks/tellRelyingParties.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { pairwiseSubject } from '../../infrastructure/oidc/configuration.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPostgresWebhookKeys } from '../../infrastructure/postgres/webhookKeys.ts';
import {
  createPostgresAcquaintances,
  createPostgresWebhookOutbox,
} from '../../infrastructure/postgres/webhooks.ts';
import { newWebhookKey } from '../../infrastructure/webhooks/standardWebhooks.ts';
import {
  createSetSender,
  createWebhookSender,
} from '../../infrastructure/webhooks/webhookSender.ts';
import { createSubscribers } from '../../projections/relyingParties.ts';
import { composeSignals } from './signals.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Events told to relying parties: who is told what, signed delivery, and what they and operators see of it. */
export function composeWebhooks(
  core: Core,
  guards: OperatorGuards,
  openIdConnect: OpenIdConnect,
  documents: Documents,
): ServiceModule {
  const { config, foundation, aggregates, effects } = core;
  const { pool, vault, clock, randomness, database, undelivered, metrics, log } = foundation;
  const { eventStore, leaderLock, referenceData } = foundation;
  const { jobs, following, onFailure } = effects;
  const { sessions, certificates, accessLog } = aggregates;
  const { pairwiseSubjects } = deriveMasterKeys(foundation.derivationKey);
  const outbox = createPostgresWebhookOutbox(pool);
  const keys = createPostgresWebhookKeys({ pool, vault, make: newWebhookKey });
  const subscribers = failingFast(createSubscribers(database));
  const common = { outbox, keys, undelivered, jobs, accessLog, clock, randomness };
  const guarded = {
    reachesPrivateNetworks:
      config.SVC_OIDC_PRIVATE_NETWORKS ?? config.SVC_PROFILE === 'development',
  };
  const send = createWebhookSender({ ...guarded, clock });
  const signals = composeSignals(core, openIdConnect, { outbox, push: createSetSender(guarded) });
  const channels = [
    webhookChannel({ subscribers, referenceData, keys, send, clock }),
    signals.channel,
  ];
  jobs.handle(
    webhookJob,
    createWebhookDelivery({
      ...common,
      channels,
      onFailed: (relyingPartyId, reason) => {
        metrics.retried(webhookJob);
        log.warn(
          { relyingPartyId, reason },
          'A relying party did not accept an event. It is retried for a day.',
        );
      },
    }),
  );
  return {
    routes: [
      ...ownWebhookRoutes(referenceData, common),
      ...signals.routes,
      ...webhookRoutes(guards, { ...common, eventStore }),
    ],
    reactors: [
      createTelling({
        ...following,
        sessions,
        certificates,
        clients: openIdConnect.clients,
        consents: openIdConnect.consents,
        documents,
        subscribers,
        outbox,
        jobs,
        clock,
        signalsOf: signals.signalsOf,
        acquaintances: createPostgresAcquaintances(pool),
        subjectOf: (sector, civilId) => pairwiseSubject(pairwiseSubjects, sector, civilId),
      }),
      createWebhookSweep({ ...common, channels, leaderLock, onFailure }),
    ],
  };
}
