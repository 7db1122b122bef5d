import { ocspRoutes } from '../../api/pki/ocsp.ts';
import { revocationListRoutes } from '../../api/pki/revocationListRoutes.ts';
import {
  createServedRevocationLists,
  type ServedRevocationLists,
} from '../../application/certificate/revocationListService.ts';
import { createRevocationListPublisher } from '../../application/reactors/publishRevocationLists.ts';
import { createRevocationListBuilder } from '../../infrastructure/crl/revocationListBuilder.ts';
import { createOcspResponder } from '../../infrastructure/pki/ocsp/responder.ts';
import { statusesUnderRoot } from '../../infrastructure/pki/revokedIssuers.ts';
import type { RevocationEvidence } from '../../infrastructure/pki/revocationEvidence.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import {
  createCertificateStatuses,
  createCurrentStatuses,
  createRevocationStates,
} from '../../projections/certificates.ts';
import { createProjectionProgress } from '../../projections/engine/checkpoints.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import type { Core } from './core.ts';
import { trustAnchors } from './trustAnchors.ts';
import type { ServiceModule } from './serviceModule.ts';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { timestampRoute } from '../../api/pki/timestampRoute.ts';
import { NotReady, Unavailable } from '../../application/ports/faults.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import { DEFAULT_POLICY_ARC } from '../../infrastructure/pki/caIssuing.ts';
import { compareClock } from '../../infrastructure/ntp.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import type { TrustedIssuers } from '../../infrastructure/pki/certificatePath.ts';
import { createClockTrust, systemClock } from '../../infrastructure/system.ts';
import { createTimestampAuthority } from '../../infrastructure/timestamping/timestampAuthority.ts';
import { createTimestampClient } from '../../infrastructure/timestamping/timestampClient.ts';

const HOUR_MS = 3_600_000;

/** Certificates of issuing CAs are rarely revoked. */
const ROOT_LIST_HOURS = 30 * 24;

/** Status of certificates: OCSP responses, revocation lists, and both for signatures that embed them. */
export function composeRevocationStatus(core: Core) {
  const responder = createResponder(core);
  const { served, publisher } = createRevocationLists(core);
  const module: ServiceModule = {
    routes: [
      ...ocspRoutes(responder),
      ...revocationListRoutes(core.keys.authority.issuingCas, (name) => served.newest(name)),
    ],
    reactors: [publisher],
    stop: () => {
      responder.stop();
      served.stop();
      return Promise.resolve();
    },
  };
  const evidence: RevocationEvidence = {
    ocspResponse: responder.ocspResponse,
    crl: async (name) => (await served.newest(name)).der,
  };
  const revocationList: ServedRevocationLists['newest'] = (name) => served.newest(name);
  return { module, evidence, revocationList };
}

/** Revocation lists: one process publishes, every process serves. */
function createRevocationLists({ config, foundation, keys, effects }: Core) {
  const { pool, database, notifications, eventStore, leaderLock, log, metrics } = foundation;
  const { staleness, datingClock } = foundation;
  const { authority, keyVault } = keys;
  const store = createPostgresRevocationLists(pool);
  const served = createServedRevocationLists({ store, feed: notifications });
  metrics.watchRevocationLists(() => store.nextUpdates());
  const validityMs = config.SVC_CRL_HOURS * HOUR_MS;
  const publisher = createRevocationListPublisher({
    eventStore,
    leaderLock,
    clock: datingClock,
    clockSlackMs: config.SVC_CLOCK_SLACK * 1000,
    onFailure: effects.onFailure,
    lists: store,
    states: failingFast(createRevocationStates(database)),
    progress: createProjectionProgress({ database, names: [certificatesReadModel.name] }),
    staleness,
    newBuilder: (name) => createRevocationListBuilder(authority.issuer(name), keyVault),
    signsHere: (name) => authority.issuer(name).isOnline,
    validityMs: new Map([
      ['root', ROOT_LIST_HOURS * HOUR_MS],
      ...authority.issuingCas.map((name) => [name, validityMs] as const),
    ]),
    log,
  });
  return { served, publisher };
}

/** The OCSP responder over the certificates read model. */
function createResponder({ foundation, keys, serviceIdentities }: Core) {
  const { clock, notifications, database, outageLog, staleness, facts, loggedRow } = foundation;
  return createOcspResponder({
    clock,
    feed: notifications,
    identities: serviceIdentities,
    authority: keys.authority,
    keyVault: keys.keyVault,
    isListening: () =>
      notifications.isListening() && !staleness.isStale(certificatesReadModel.name),
    statuses: statusesUnderRoot(
      createCurrentStatuses(failingFast(createCertificateStatuses(database)), {
        isBehind: (serial) => facts.isBehind('certificate', serial),
        logged: loggedRow,
        staleness,
      }),
      keys.authority,
      keys.revokedIssuers,
    ),
    onFailure: (cause) => outageLog.error({ err: cause }, 'An OCSP request could not be answered.'),
  });
}

/** Policy of the built-in authority, below the operator's policy arc. */
const TIMESTAMP_POLICY = '4.1';

/** Interval of the comparison with a time server, as often as its operators like, ms. */
const REFERENCE_EVERY_MS = 64_000;

/** Several answers may be lost before timestamps stop, ms; a quartz drifts by less than 0.1 s meanwhile. */
const REFERENCE_FRESH_MS = 600_000;

/** Timestamps for other features, with their routes. */
export interface Timestamps {
  readonly timestamping: Timestamping;
  /**
   * Trusted issuers: the platform's own, also from before external authorities were configured, and the external ones.
   */
  readonly issuers: TrustedIssuers;
  readonly module: ServiceModule;
}

/** Timestamps of the configured authorities, or else of the built-in one, which is then also served. */
export function composeTimestamps(core: Core): Timestamps {
  const { SVC_TSA_URL: urls, SVC_TSA_CA: trustFile } = core.config;
  const { root, issuing: intermediates } = core.keys.authority.certificates;
  if (urls === undefined || trustFile === undefined) {
    return { ...builtIn(core), issuers: { anchors: [root], intermediates } };
  }
  const anchors = trustAnchors('SVC_TSA_CA', trustFile, core.foundation.log);
  return {
    timestamping: externalAuthorities(core, urls, anchors),
    issuers: { anchors: [root, ...anchors], intermediates },
    module: {},
  };
}

function builtIn({
  config,
  foundation,
  keys,
  serviceIdentities,
}: Core): Omit<Timestamps, 'issuers'> {
  const { clock, randomness, redis, databaseClock, outageLog } = foundation;
  const reference = watchReference(config.SVC_TSA_NTP);
  const policyArc = config.SVC_PKI_POLICY_ARC ?? DEFAULT_POLICY_ARC;
  const faultNow = () => databaseClock.fault() ?? reference.fault();
  const authority = createTimestampAuthority({
    identities: serviceIdentities,
    vault: keys.keyVault,
    clock,
    randomness,
    policy: `${policyArc}.${TIMESTAMP_POLICY}`,
    clockFault() {
      const fault = faultNow();
      if (fault !== null) {
        const err = new Unavailable('timestamping', new Error(fault));
        outageLog.error({ err }, 'Timestamps are stopped.');
      }
      return fault;
    },
  });
  const route = timestampRoute({
    answer: (request) => authority.answer(request),
    rateLimit: createRateLimit({
      name: 'tamga:tsa',
      setting: 'SVC_TSA_REQUESTS_PER_MINUTE',
      redis: redis?.client ?? null,
    }),
    requestsPerMinute: config.SVC_TSA_REQUESTS_PER_MINUTE,
  });
  return {
    timestamping: authority,
    module: {
      routes: [route],
      partners: {
        timestampClock: () => {
          const fault = faultNow();
          return fault === null
            ? Promise.resolve()
            : Promise.reject(new NotReady(`Timestamps are refused: ${fault}`));
        },
      },
      start: reference.start,
      stop: reference.stop,
    },
  };
}

/** Comparison with a time server, where one is named. */
function watchReference(server: string | undefined) {
  if (server === undefined) {
    return {
      fault: () => null,
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    };
  }
  const trust = createClockTrust({
    clock: systemClock,
    reference: server,
    freshMs: REFERENCE_FRESH_MS,
  });
  let timer: NodeJS.Timeout | undefined;
  const compare = async () => {
    const comparison = await compareClock(server);
    if (comparison !== null) trust.compared(comparison);
  };
  return {
    fault: trust.fault,
    start: async () => {
      timer = setInterval(() => void compare(), REFERENCE_EVERY_MS).unref();
      await compare();
    },
    stop: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

function externalAuthorities(
  { config, foundation }: Core,
  urls: readonly string[],
  anchors: readonly Buffer[],
): Timestamping {
  const { clock, randomness, metrics, log, outside } = foundation;
  const timeoutMs = config.SVC_TSA_TIMEOUT * 1000;
  const client = createTimestampClient({
    urls,
    clock,
    randomness,
    trust: { anchors },
    policy: config.SVC_TSA_POLICY ?? null,
    timeoutMs,
    onCalled: (status, seconds) =>
      metrics.externalRequest('timestamping', 'timestamp', status, seconds),
    onPutAside: (url, seconds, cause) =>
      log.warn({ url, seconds, err: cause }, 'A timestamping authority was suspended.'),
  });
  // Every authority is asked in turn.
  return withinBound(
    outside.open('timestamping', { timeoutMs: timeoutMs * urls.length + 1000 }),
    client,
  );
}
