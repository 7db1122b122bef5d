import { createExpectNamesFree, createTakeNames } from '../../application/names/takeName.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createNamesInUse } from '../../projections/namesInUse.ts';
import {
  createCertificates,
  createCitizens,
  createDevices,
  createNotices,
  createHeldNames,
  createIssuingCas,
  createRelyingParties,
} from '../../application/aggregates.ts';
import {
  createPlatformRelyingParty,
  platformRelyingPartyId,
} from '../../application/document/platformRelyingParty.ts';
import type { Loaded } from '../../application/handleCommand.ts';
import {
  createOperatorDirectory,
  createSecondFactors,
} from '../../application/operator/operators.ts';
import { createAccessLog } from '../../application/organization/accessLog.ts';
import {
  createOrganizations,
  createRepresentations,
} from '../../application/organization/organizations.ts';
import { createExpectRepresentation } from '../../application/organization/expectRepresentation.ts';
import type { PushLimits } from '../../application/session/pushLimits.ts';
import { createSessionFollower, createSessions } from '../../application/session/sessions.ts';
import { createMadeDocuments } from '../../application/stamp/madeDocuments.ts';
import type { Operators } from '../../domain/operator/operators.ts';
import type { UsedCodes } from '../../domain/operator/secondFactor.ts';
import type { CompleteSession, Session } from '../../domain/session/session.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createAggregateCache } from '../../infrastructure/system.ts';
import type { Foundation } from './foundation.ts';

export type Aggregates = ReturnType<typeof createAggregates>;

/** Session aggregates cached; ten minutes at some eighty a second, beyond it they are read again. */
const SESSIONS_REMEMBERED = 50_000;

/** Builds the aggregates on the log. */
export function createAggregates(
  config: Config,
  foundation: Foundation,
  pushLimits: Pick<PushLimits, 'ended'>,
) {
  const { eventStore, clock, datingClock, randomness, vault, notifications } = foundation;
  const { metrics, log, outageLog, staleness, facts, lostEvents } = foundation;
  const { referenceData, database } = foundation;
  const stores = { eventStore, clock: datingClock, randomness };
  const cache = createAggregateCache<Loaded<Session>>(SESSIONS_REMEMBERED);
  const operatorsCache = createAggregateCache<Loaded<Operators>>(1);
  const usedCodes = createAggregateCache<Loaded<UsedCodes>>(1000);
  const clear = () => {
    cache.clear();
    operatorsCache.clear();
  };
  vault.onForgotten(clear);
  lostEvents.onNoticed(() => {
    clear();
    usedCodes.clear();
  });
  const settlePush = ({ started, outcome }: CompleteSession) => {
    pushLimits
      .ended(started.sessionId, outcome.endResult)
      .catch((cause: unknown) =>
        log.warn({ err: cause }, 'The count of pushes could not be reset after a confirmation.'),
      );
  };
  const sessions = createSessions({
    ...stores,
    cache,
    notifications,
    onCompleted: (session) => {
      const { kind, flow } = session.started;
      metrics.sessionCompleted(kind, flow, session.outcome.endResult);
      settlePush(session);
    },
  });
  const sessionFollower = createSessionFollower({
    eventStore,
    cache,
    sessions,
    notifications,
    onCompleted: settlePush,
    onFailure: (cause) =>
      outageLog.error({ err: cause }, 'The subscription to sessions was interrupted.'),
  });
  // A sole process sees its own appends without following the log.
  const follows = config.SVC_ROLES.includes('api') && !config.SVC_SOLE_PROCESS;
  const operators = createOperatorDirectory({
    ...stores,
    cache: operatorsCache,
    staleness,
    onFailure: (cause) =>
      outageLog.error({ err: cause }, 'The subscription to operators was interrupted.'),
  });
  const organizations = createOrganizations(stores);
  const representations = createRepresentations(stores);
  const relyingParties = createRelyingParties(stores);
  const holding = {
    heldNames: createHeldNames(stores),
    namesInUse: failingFast(
      createNamesInUse(database, {
        holder: platformRelyingPartyId,
        name: config.SVC_DOCUMENT_SIGNING_NAME,
      }),
    ),
    clock,
  };
  return {
    sessions,
    isFollowingSessions: sessionFollower.isFollowing,
    relyingParties,
    takeNames: createTakeNames(holding),
    expectNamesFree: createExpectNamesFree(holding),
    platformRelyingParty: createPlatformRelyingParty({
      relyingParties,
      referenceData,
      clock,
      randomness,
      name: config.SVC_DOCUMENT_SIGNING_NAME,
    }),
    citizens: createCitizens(stores),
    devices: createDevices(stores),
    notices: createNotices(stores),
    operators,
    secondFactors: createSecondFactors({
      ...stores,
      cache: usedCodes,
    }),
    organizations,
    representations,
    expectRepresentation: createExpectRepresentation({ organizations, representations }),
    accessLog: createAccessLog(stores),
    certificates: createCertificates(stores),
    issuingCas: createIssuingCas(stores),
    madeDocuments: createMadeDocuments(stores),
    start: async () => {
      if (follows) await sessionFollower.start();
      if (!config.SVC_ROLES.includes('api')) return;
      await operators.start();
      await facts.start();
    },
    stop: async () => {
      await sessionFollower.stop();
      await operators.stop();
      await facts.stop();
    },
  };
}
