import { createSessionExpiry } from '../../application/reactors/expireSessionWhenTimeIsUp.ts';
import {
  createEnrolmentNotices,
  createNoticePushHandler,
  noticePushJob,
} from '../../application/reactors/giveNotices.ts';
import {
  createRenameNotices,
  createRightNotices,
  createSealCertificateNotices,
} from '../../application/reactors/giveOrganizationNotices.ts';
import {
  createPushJobHandler,
  createPushReactor,
  pushJob,
} from '../../application/reactors/pushSessionToPhone.ts';
import type { Reactor, ReactorDependencies } from '../../application/reactors/reactor.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { identityProofing } from '../../infrastructure/config/identityVerificationSettings.ts';
import { openJobs } from '../../infrastructure/jobs/openJobs.ts';
import type { JobObserver } from '../../infrastructure/jobs/retries.ts';
import { createHttpPushGateway } from '../../infrastructure/push/httpPushGateway.ts';
import { createNoPushGateway } from '../../infrastructure/push/noPushGateway.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import { createRedisAttemptLimits } from '../../infrastructure/redis/redisAttemptLimits.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import type { Aggregates } from './aggregates.ts';
import type { Foundation } from './foundation.ts';

/** Notices to one citizen, an hour, of changes that nobody confirmed. */
const unconfirmedNotices = { attempts: 10, windowMs: 3_600_000 };

/** Jobs, and the reactors of sessions. */
export async function createEffects(
  config: Config,
  foundation: Foundation,
  { sessions, notices, representations, devices: deviceAggregates, accessLog }: Aggregates,
) {
  const { log, outageLog, metrics, pool, notifications, referenceData, clock, eventStore } =
    foundation;
  const { sessionViews, leaderLock, checkpoints, deadLetters, redis, undelivered } = foundation;
  const observer: JobObserver = {
    onGivenUp: (job, cause) => log.error({ job, err: cause }, 'A job failed in its last attempt.'),
    onTried: (name, outcome) => {
      if (outcome === 'failed') metrics.retried(name);
    },
  };
  const { jobs, partners } = await openJobs(
    config.SVC_REDIS_URL,
    { pool, feed: notifications },
    observer,
  );
  const push = openPushGateway(config, foundation);
  jobs.handle(pushJob, createPushJobHandler({ devices: referenceData, push, clock }));
  jobs.handle(
    noticePushJob,
    createNoticePushHandler({
      jobs,
      undelivered,
      clock,
      accessLog,
      devices: referenceData,
      push,
      onFailed: (err) => {
        metrics.retried(noticePushJob);
        log.warn({ err }, 'A notice could not be pushed. It is retried for a day.');
      },
    }),
  );
  const onFailure = (name: string, cause: unknown) => {
    metrics.reactorFailed(name);
    outageLog.error({ reactor: name, err: cause }, 'A reactor failed and is retrying.');
  };
  const following: ReactorDependencies = {
    eventStore,
    checkpoints,
    leaderLock,
    deadLetters,
    onFailure,
    onFailedAgain: metrics.reactorFailed,
    onDeadLetter: (name, cause, eventId) =>
      log.error(
        { reactor: name, eventId, err: cause },
        'A reactor left a dead letter. Run ./tamga reactor list and see docs/operations.md.',
      ),
  };
  const telling = {
    ...following,
    clock,
    jobs,
    notices,
    representations,
    deviceAggregates,
    devices: referenceData,
    newsMs: identityProofing(config).enrolmentBlockMs,
    unconfirmed:
      redis === null
        ? createMemoryAttemptLimits(unconfirmedNotices)
        : createRedisAttemptLimits({ redis: redis.client, ...unconfirmedNotices }),
  };
  const reactors: readonly Reactor[] = [
    createSessionExpiry({ sessions, overdue: sessionViews, clock, leaderLock, onFailure }),
    createPushReactor({ ...following, clock, jobs, devices: referenceData }),
    createEnrolmentNotices(telling),
    createRightNotices(telling),
    createRenameNotices(telling),
    createSealCertificateNotices(telling),
  ];
  return { jobs, partners, reactors, onFailure, following };
}

function openPushGateway(config: Config, { metrics, outside }: Foundation) {
  const { SVC_PUSH_GATEWAY_URL: url, SVC_PUSH_GATEWAY_TOKEN: token = '' } = config;
  if (url === undefined) return createNoPushGateway();
  const onCalled = (status: string, seconds: number) =>
    metrics.externalRequest('push', 'notify', status, seconds);
  return withinBound(outside.open('push'), createHttpPushGateway({ url, token, onCalled }));
}
