import { createCitizens } from '../../application/aggregates.ts';
import type { AttemptLimits } from '../../application/ports/attemptLimits.ts';
import {
  createPushLimits,
  PUSH_WINDOW_MS,
  type PushLimits,
} from '../../application/session/pushLimits.ts';
import {
  type PollSession,
  createPollSession,
  createSessions,
} from '../../application/session/sessions.ts';
import { createSessionSteps, type SessionSteps } from '../../application/session/sessionSteps.ts';
import { createStartSession, type StartSession } from '../../application/session/startSession.ts';
import { allowedSince } from '../../domain/citizen/citizen.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createToldTopics } from '../../infrastructure/postgres/toldTopics.ts';
import { createRedisAttemptLimits } from '../../infrastructure/redis/redisAttemptLimits.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import type { Aggregates } from './aggregates.ts';
import type { Foundation } from './foundation.ts';

/** Time a session remains readable, ms from its start (specification, Limits). */
const READABLE_MS = 10 * 60_000;

/** Limits of pushes to one citizen; their counts are shared by all processes with Redis. */
export function composePushLimits(config: Config, foundation: Foundation): PushLimits {
  const { sessionViews: records, disturbances, clock, metrics, redis } = foundation;
  // Without a cache: what the log itself says.
  const sessions = createSessions(foundation);
  const citizens = createCitizens(foundation);
  const aMinute = (attempts: number): AttemptLimits =>
    redis === null
      ? createMemoryAttemptLimits({ attempts, windowMs: PUSH_WINDOW_MS })
      : createRedisAttemptLimits({ redis: redis.client, attempts, windowMs: PUSH_WINDOW_MS });
  const perMinute = config.SVC_PUSHES_PER_MINUTE;
  return createPushLimits({
    citizen: aMinute(perMinute),
    relyingParty: aMinute(
      Math.min(config.SVC_PUSHES_PER_RELYING_PARTY, Math.max(1, perMinute - 1)),
    ),
    rules: {
      running: config.SVC_PUSHES_RUNNING,
      backOffMs: config.SVC_PUSH_BACK_OFF * 1000,
      blockMs: config.SVC_PUSH_BLOCK_HOURS * 3_600_000,
    },
    unlimited: new Set(config.SVC_PUSH_TEST_CITIZENS),
    records,
    logged: {
      endResultOf: async (sessionId) => {
        const { state } = await disturbances.noting(() => sessions.load(sessionId));
        return state.status === 'COMPLETE' ? state.outcome.endResult : null;
      },
      offeredChoice: async (sessionId) => {
        const { state } = await disturbances.noting(() => sessions.load(sessionId));
        return (
          state.status !== 'NONE' &&
          state.started.interactions.some(
            ({ type }) => type === 'confirmationMessageAndVerificationCodeChoice',
          )
        );
      },
      disturbance: () => disturbances.current(),
    },
    allowedSince: async ({ civilId, relyingPartyId }) =>
      allowedSince((await citizens.load(civilId)).state, relyingPartyId),
    clock,
    onRefused: (limit) => metrics.pushRefused(limit),
  });
}

/** Starts sessions for all APIs. */
export function composeStartSession(
  config: Config,
  foundation: Foundation,
  aggregates: Aggregates & { readonly pushLimits: PushLimits },
): StartSession {
  const { clock, randomness, referenceData, sessionTokens } = foundation;
  const { sessions, relyingParties, expectRepresentation, accessLog, pushLimits } = aggregates;
  return createStartSession({
    sessions,
    relyingParties,
    referenceData,
    clock,
    randomness,
    sessionTokens,
    pushLimits,
    expectRepresentation,
    accessLog,
    answerWindowMs: config.SVC_SESSION_WINDOW * 1000,
    readableMs: READABLE_MS,
    scheme: config.SVC_SCHEME_NAME,
    loopbackCallbacks: config.SVC_PROFILE === 'development',
  });
}

/** Long polling of sessions. */
export function composePollSession(
  config: Config,
  foundation: Foundation,
  aggregates: Aggregates,
  steps: SessionSteps,
): PollSession {
  const { notifications, referenceData, clock } = foundation;
  const { sessions, expectRepresentation, isFollowingSessions: isFollowing } = aggregates;
  return createPollSession({
    sessions,
    notifications,
    referenceData,
    clock,
    expectRepresentation,
    isFollowing,
    steps,
    soleProcess: config.SVC_SOLE_PROCESS,
  });
}

/** Steps of running sessions, told to the other processes where there are any. */
export function composeSessionSteps(
  { SVC_SOLE_PROCESS: isAlone }: Config,
  { notifications, pool }: Foundation,
): SessionSteps {
  return createSessionSteps({
    notifications,
    ...(!isAlone && { tellOthers: createToldTopics(pool) }),
  });
}
