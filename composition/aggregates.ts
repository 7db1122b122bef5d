import { createCertificates } from '../application/certificate/certificates.ts';
import { createCitizens } from '../application/citizen/citizens.ts';
import { createDevices } from '../application/device/devices.ts';
import type { Loaded } from '../application/handleCommand.ts';
import { createOperatorDirectory, createSecondFactors } from '../application/operator/operators.ts';
import { createAccessLog } from '../application/organization/accessLog.ts';
import {
  createOrganizations,
  createRepresentations,
} from '../application/organization/organizations.ts';
import { createStandingOf } from '../application/organization/standing.ts';
import { createRelyingParties } from '../application/relyingParty/relyingParties.ts';
import { countOutcomes } from '../application/session/countOutcomes.ts';
import { createSessionFollower } from '../application/session/followSessions.ts';
import { createSessions } from '../application/session/sessions.ts';
import type { Operators } from '../domain/operator/operators.ts';
import type { UsedCodes } from '../domain/operator/secondFactor.ts';
import type { Session } from '../domain/session/session.ts';
import type { Config } from '../infrastructure/config.ts';
import { createAggregateCache } from '../infrastructure/system.ts';
import type { Foundation } from './foundation.ts';

export type Aggregates = ReturnType<typeof createAggregates>;

/** Session aggregates kept in memory; ten minutes' worth at some eighty a second, else they are read again. */
const SESSIONS_REMEMBERED = 50_000;

/** The aggregates, bound to the log. */
export function createAggregates(config: Config, foundation: Foundation) {
  const { eventStore, clock, randomness, vault, wake, metrics, log } = foundation;
  const stores = { eventStore, clock, randomness };
  const cache = createAggregateCache<Loaded<Session>>(SESSIONS_REMEMBERED);
  const operatorsCache = createAggregateCache<Loaded<Operators>>(1);
  vault.onForgotten(() => {
    cache.clear();
    operatorsCache.clear();
  });
  const sessions = createSessions({ ...stores, cache, wake });
  const sessionFollower = createSessionFollower({
    ...{ eventStore, cache, sessions, wake },
    onFailure: (cause) => log.error({ err: cause }, 'Following the sessions was interrupted.'),
  });
  // The only process there is knows without following.
  const follows = config.SVC_ROLES.includes('api') && !config.SVC_SOLE_PROCESS;
  const operators = createOperatorDirectory({
    ...{ ...stores, cache: operatorsCache },
    onFailure: (cause) => log.error({ err: cause }, 'Following the operators was interrupted.'),
  });
  const organizations = createOrganizations(stores);
  const representations = createRepresentations(stores);
  return {
    sessions: countOutcomes(sessions, (kind, flow, endResult) =>
      metrics.sessionCompleted(kind, flow, endResult),
    ),
    isFollowingSessions: sessionFollower.isFollowing,
    relyingParties: createRelyingParties(stores),
    citizens: createCitizens(stores),
    devices: createDevices(stores),
    operators,
    secondFactors: createSecondFactors({
      ...{ ...stores, cache: createAggregateCache<Loaded<UsedCodes>>(1000) },
    }),
    organizations,
    representations,
    standingOf: createStandingOf({ organizations, representations }),
    accessLog: createAccessLog(stores),
    certificates: createCertificates(stores),
    start: async () => {
      if (follows) await sessionFollower.start();
      if (config.SVC_ROLES.includes('api')) await operators.start();
    },
    stop: async () => {
      await sessionFollower.stop();
      await operators.stop();
    },
  };
}
