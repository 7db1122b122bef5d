import { createDeviceRoutes } from './api/device/routes.ts';
import { createRateLimit } from './api/http/rateLimit.ts';
import type { Route } from './api/http/route.ts';
import { caCertificateRoutes } from './api/platform/caCertificates.ts';
import { discoveryRoute } from './api/platform/discovery.ts';
import { healthRoutes } from './api/platform/health.ts';
import { atRoot, relyingPartyRoutes } from './api/rp/routes.ts';
import { createApiServer } from './api/server.ts';
import { issueCertificate } from './application/certificate/issueCertificate.ts';
import { createCitizens } from './application/citizen/citizens.ts';
import { forgetPerson } from './application/citizen/forgetPerson.ts';
import { createDevices } from './application/device/devices.ts';
import { type CommandContext, createAggregate, type Loaded } from './application/handleCommand.ts';
import type { CertificateAuthority } from './application/ports/certificateAuthority.ts';
import type { RelyingPartyFact } from './application/ports/facts.ts';
import type { WakeSender } from './application/ports/wake.ts';
import type { EventLog } from './application/ports/eventLog.ts';
import type { Log } from './application/ports/log.ts';
import { createSessionExpiry } from './application/reactors/expireSessionWhenTimeIsUp.ts';
import {
  createPushJobHandler,
  createPushReactor,
  pushJob,
} from './application/reactors/pushSessionToPhone.ts';
import type { Reactor } from './application/reactors/reactor.ts';
import { deactivateRelyingParty } from './application/relyingParty/deactivateRelyingParty.ts';
import {
  type IssuedSecret,
  registerRelyingParty,
} from './application/relyingParty/registerRelyingParty.ts';
import { createRelyingParties } from './application/relyingParty/relyingParties.ts';
import { rotateSecret } from './application/relyingParty/rotateSecret.ts';
import { countOutcomes } from './application/session/countOutcomes.ts';
import { createPollSession } from './application/session/pollSession.ts';
import { createSessions } from './application/session/sessions.ts';
import { createStartSession } from './application/session/startSession.ts';
import { certificateDecider } from './domain/certificate/certificate.ts';
import type { RelyingPartySettings } from './domain/relyingParty/events.ts';
import type { Session } from './domain/session/session.ts';
import { parsePersonIdentifier } from './domain/shared/etsi.ts';
import { createEventStore } from './infrastructure/codec/codec.ts';
import { createPersonalDataVault } from './infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from './infrastructure/codec/postgresPersonKeys.ts';
import type { Config, Role } from './infrastructure/config.ts';
import { developmentDatabase, developmentMasterKey } from './infrastructure/development.ts';
import { createEventStoreDbEventLog } from './infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createPostgresEventLog } from './infrastructure/eventstore/postgresEventLog.ts';
import { openJobs } from './infrastructure/jobs/openJobs.ts';
import type { JobObserver } from './infrastructure/jobs/retries.ts';
import { openKeyVault } from './infrastructure/hsm/openKeyVault.ts';
import { createCertificateAuthority } from './infrastructure/pki/certificateAuthority.ts';
import { createEcdsaDigestPool } from './infrastructure/pki/ecdsaDigestPool.ts';
import { createSignatureVerifier } from './infrastructure/pki/signatureVerifier.ts';
import { writeTrustFiles } from './infrastructure/pki/trustFiles.ts';
import { failingFast, isAway } from './infrastructure/postgres/availability.ts';
import { createPostgresCaCertificates } from './infrastructure/postgres/caCertificates.ts';
import { createCachedFacts } from './infrastructure/postgres/cachedFacts.ts';
import { createEagerWake } from './infrastructure/postgres/eagerWake.ts';
import { migrate } from './infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from './infrastructure/postgres/pool.ts';
import { createSingleActive } from './infrastructure/postgres/singleActive.ts';
import { unhurried } from './infrastructure/postgres/unhurried.ts';
import { createWake, type PostgresWake } from './infrastructure/postgres/wakeListener.ts';
import { publicAddresses } from './infrastructure/publicAddresses.ts';
import { createHttpPushGateway } from './infrastructure/push/httpPushGateway.ts';
import { createNoPushGateway } from './infrastructure/push/noPushGateway.ts';
import { createRedisClient } from './infrastructure/redis/client.ts';
import { importCivilRegistry } from './infrastructure/registry/importCivilRegistry.ts';
import { createPostgresCivilRegistry } from './infrastructure/registry/postgresCivilRegistry.ts';
import { createMemoryAttemptLimits } from './infrastructure/replay/memoryAttemptLimits.ts';
import { createMemoryReplayStore } from './infrastructure/replay/memoryReplayStore.ts';
import { createAggregateCache, systemClock, systemRandomness } from './infrastructure/system.ts';
import { createLog } from './infrastructure/telemetry/log.ts';
import { measuredEventLog } from './infrastructure/telemetry/measuredEventLog.ts';
import { createMetrics, type Metrics } from './infrastructure/telemetry/metrics.ts';
import { readTlsFiles } from './infrastructure/tlsFiles.ts';
import { createCheckpoints } from './projections/checkpoints.ts';
import { createCitizenTraces } from './projections/citizens.ts';
import type { Database } from './projections/database.ts';
import { createProjectionProgress } from './projections/progress.ts';
import { createProjector } from './projections/projector.ts';
import { createFacts, readModels } from './projections/readModels.ts';
import { rebuildReadModel } from './projections/rebuild.ts';
import { createSessionViews } from './projections/sessions.ts';

const clock = systemClock;
const randomness = systemRandomness;

/** The whole program, or the part of it that its roles ask for. */
export interface Service {
  /** Opens everything in order of need; when it resolves the service answers. */
  start(): Promise<void>;
  /** Stops accepting, releases waiting polls, drains, closes. */
  stop(): Promise<void>;
  /** Where it listens. @throws Error without any role */
  readonly origin: string;
  readonly certificates: CertificateAuthority['certificates'];
  /** Every row this process serves. */
  readonly routes: readonly Route[];
  registerRelyingParty(settings: RelyingPartySettings): Promise<IssuedSecret>;
  rotateSecret(relyingPartyId: string): Promise<IssuedSecret>;
  deactivateRelyingParty(relyingPartyId: string): Promise<void>;
  listRelyingParties(): Promise<readonly RelyingPartyFact[]>;
  /** @param identifier civil id or registration number */
  forgetPerson(identifier: string): Promise<void>;
  importCivilRegistry(csvPath: string): Promise<void>;
  /** Names for `rebuild`. */
  readonly readModels: readonly string[];
  rebuild(name: string, onProgress: (events: number) => void): Promise<void>;
  /** Writes `anchors.pem` and `intermediates.pem`. @returns their paths */
  writeTrustFiles(directory: string): Promise<{ anchorsPem: string; intermediatesPem: string }>;
}

/** What a caller may put around parts of the service, for measuring. */
export interface ServiceHooks {
  /** Sees every append and when it was acknowledged. */
  readonly aroundLog?: (log: EventLog) => EventLog;
}

/** Composes the service; nothing is opened before `start`. */
export function createService(config: Config, hooks: ServiceHooks = {}): Service {
  let running: Running | undefined;
  const open = () => {
    if (running === undefined) throw new Error('The service is not started.');
    return running;
  };
  return {
    start: async () => {
      running ??= await run(config, hooks);
    },
    stop: async () => {
      await running?.stop();
      running = undefined;
    },
    get origin() {
      return open().origin;
    },
    get certificates() {
      return open().certificates;
    },
    get routes() {
      return open().routes;
    },
    readModels: readModels.map(({ name }) => name),
    registerRelyingParty: (settings) => open().registerRelyingParty(settings),
    rotateSecret: (id) => open().rotateSecret(id),
    deactivateRelyingParty: (id) => open().deactivateRelyingParty(id),
    listRelyingParties: () => open().listRelyingParties(),
    forgetPerson: (identifier) => open().forgetPerson(identifier),
    importCivilRegistry: (csvPath) => open().importCivilRegistry(csvPath),
    rebuild: (name, onProgress) => open().rebuild(name, onProgress),
    writeTrustFiles: (directory) => writeTrustFiles(directory, open().certificates),
  };
}

type Running = Omit<Service, 'start' | 'readModels' | 'writeTrustFiles'>;

/** How long a session can be read, ms from its start (specification, Limits). */
const READABLE_MS = 10 * 60_000;

async function run(config: Config, { aroundLog = (log) => log }: ServiceHooks): Promise<Running> {
  const log = createLog({ level: config.SVC_LOG_LEVEL });
  const metrics = createMetrics();
  const { databaseUrl, masterKey, closeDatabase } = await openFoundation(config);
  await unhurried(databaseUrl, (resources) => migrate(resources.database));
  const max = config.SVC_DATABASE_POOL;
  const pool = createPool({ url: databaseUrl, max, queryTimeoutMs: 5000 });
  const database = createDatabase<Database>(pool);
  // Nobody waits for a batch of projections: it may take longer than a request.
  const projecting = createDatabase<Database>(
    createPool({ url: databaseUrl, max: readModels.length, queryTimeoutMs: 60_000 }),
  );

  // Truth: the log, the codec, the keys of personal data.
  const vault = createPersonalDataVault({ keys: createPostgresPersonKeys({ pool }), masterKey });
  const eventLog = openEventLog(config, databaseUrl, log);
  const eventStore = createEventStore({
    log: aroundLog(measuredEventLog(eventLog, metrics)),
    vault,
  });

  // What is projected from it, and who is told.
  const wake = createWake({ url: databaseUrl });
  const singleActive = createSingleActive({
    url: databaseUrl,
    onError: (name, cause) => log.error({ activity: name, err: cause }, 'An activity failed.'),
  });
  const storedFacts = createFacts(database, vault);
  const facts = createCachedFacts({ facts: storedFacts, feed: wake, vault });
  const sessionViews = failingFast(createSessionViews(database));
  const projector = createProjector({
    ...{ database: projecting, eventStore, vault, wake, clock, singleActive },
    isOutage: isAway,
    onFailure: (projection, cause, eventId) =>
      log.error(
        { projection, eventId, err: cause },
        'A projection stopped: see docs/operations.md.',
      ),
  });
  const progress = config.SVC_ROLES.includes('projector')
    ? projector
    : createProjectionProgress({ database });

  // Aggregates.
  const stores = { eventStore, clock, randomness };
  const cache = createAggregateCache<Loaded<Session>>(SESSIONS_REMEMBERED);
  vault.onForgotten(() => cache.clear());
  const sessions = countOutcomes(
    createSessions({ ...stores, cache, wake: completionWake(config, wake) }),
    (kind, flow, endResult) => metrics.sessionCompleted(kind, flow, endResult),
  );
  const relyingParties = createRelyingParties(stores);
  const citizens = createCitizens(stores);
  const devices = createDevices(stores);
  const certificates = createAggregate('certificate', certificateDecider, stores);

  // Keys and certificates.
  const ecdsaDigests = createEcdsaDigestPool();
  const keys = openKeyVault(config, { pool, masterKey, ecdsaDigests });
  const addresses = publicAddresses(config);
  const authority = createCertificateAuthority({
    ...{ clock, randomness, vault: keys.keyVault },
    certificates: createPostgresCaCertificates(pool),
    baseUrl: addresses.pki,
    operator: {
      name: config.SVC_PKI_OPERATOR_NAME,
      etsi: config.SVC_PKI_OPERATOR_ETSI,
      country: 'MN',
    },
    policyArc: config.SVC_PKI_POLICY_ARC,
  });
  const civilRegistry = createPostgresCivilRegistry({ pool, vault });

  // Effects.
  const observer: JobObserver = {
    onGivenUp: (job, cause) => log.error({ job, err: cause }, 'A job was given up.'),
    onTried: (name, outcome) => {
      if (outcome === 'failed') metrics.retried(name);
    },
  };
  const redis = config.SVC_REDIS_URL === undefined ? null : createRedisClient(config.SVC_REDIS_URL);
  const { jobs, checks: jobChecks } = openJobs(
    config.SVC_REDIS_URL,
    { pool, feed: wake },
    observer,
  );
  const push = openPushGateway(config, metrics);
  jobs.handle(pushJob, createPushJobHandler({ devices: facts, push, clock }));
  const onFailure = (name: string, cause: unknown) =>
    log.error({ reactor: name, err: cause }, 'A reactor failed and tries again.');
  const checkpoints = failingFast(createCheckpoints(database));
  const reactors: readonly Reactor[] = [
    createSessionExpiry({ sessions, overdue: sessionViews, clock, singleActive, onFailure }),
    createPushReactor({
      ...{ eventStore, checkpoints, singleActive, onFailure, clock, jobs },
      devices: facts,
    }),
  ];

  // Surfaces.
  const checks: Record<string, () => Promise<unknown>> = {
    eventStore: () => eventLog.check(),
    database: () => pool.query('select 1'),
    keyVault: () => keys.keyVault.check(),
    ...jobChecks,
  };
  const projections = () =>
    projector.status().map(({ name, state, lagMs }) => ({
      name,
      running: state !== 'FAILED',
      lagSeconds: lagMs / 1000,
    }));
  metrics.watchProjections(projections);

  await vault.start();
  await eventLog.start();
  await wake.start();
  await authority.start();

  const relyingPartyApi = relyingPartyRoutes({
    ...{ facts, sessions, clock, vault },
    startSession: createStartSession({
      ...{ sessions, relyingParties, facts, clock, randomness },
      answerWindowMs: config.SVC_SESSION_WINDOW * 1000,
      readableMs: READABLE_MS,
    }),
    pollSession: createPollSession({
      ...{ sessions, wake, facts, clock },
      soleProcess: config.SVC_SOLE_PROCESS,
    }),
    rateLimit: createRateLimit({ name: 'tamga:rp', redis: redis?.client ?? null }),
    requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
    deviceLinkBase: addresses.deviceLink,
  });
  const has = (role: Role) => config.SVC_ROLES.includes(role);
  const surfaces = [
    ...relyingPartyApi,
    ...(config.SVC_RP_ROOT_ROUTES ? atRoot(relyingPartyApi) : []),
    ...createDeviceRoutes({
      ...{ citizens, devices, certificates, civilRegistry, sessions, sessionViews, facts, wake },
      ...{ clock, randomness, eventStore, progress },
      signatureVerifier: createSignatureVerifier({ ecdsaDigests }),
      issueCertificate: (application, context) =>
        issueCertificate(
          {
            ...{ certificates, authority, clock, randomness },
            validityYears: config.SVC_CERTIFICATE_YEARS,
          },
          application,
          context,
        ),
      attemptLimits: createMemoryAttemptLimits(),
      replayStore: createMemoryReplayStore(),
    }),
    ...caCertificateRoutes(authority.certificates),
    discoveryRoute({
      rpApiBase: addresses.rpApi,
      deviceLinkBase: addresses.deviceLink,
      appScheme: config.SVC_APP_SCHEME,
      issuingCertificates: authority.certificates.issuing,
      listed: relyingPartyApi,
    }),
  ];
  // Processes without the API can be asked how they are, too.
  const routes = [
    ...(has('api') ? surfaces : []),
    ...healthRoutes({ checks, projections, exposeMetrics: () => metrics.expose() }),
  ];
  const server = createApiServer({
    routes,
    log,
    metrics,
    limits: {
      maxInFlight: config.SVC_MAX_IN_FLIGHT,
      maxEventLoopDelayMs: config.SVC_MAX_EVENT_LOOP_DELAY,
    },
    caller: {
      trustProxy: config.SVC_TRUSTED_PROXIES,
      clientCertificateHeader: config.SVC_CLIENT_CERTIFICATE_HEADER ?? null,
    },
    ...readTlsFiles(config),
  });

  // Roles; health is served whichever they are.
  if (has('projector')) projector.start();
  if (has('worker')) {
    await jobs.start();
    for (const reactor of reactors) reactor.start();
  }
  await server.start({ port: config.SVC_PORT, host: config.SVC_HOST });
  log.info({ roles: config.SVC_ROLES, profile: config.SVC_PROFILE }, 'Started.');

  const registering = { relyingParties, clock, randomness, progress };
  return {
    get origin() {
      return server.address().origin;
    },
    certificates: authority.certificates,
    routes,
    registerRelyingParty: (settings) => registerRelyingParty(registering, settings, commandLine()),
    rotateSecret: (id) => rotateSecret(registering, id, commandLine()),
    deactivateRelyingParty: (id) => deactivateRelyingParty(registering, id, commandLine()),
    listRelyingParties: () => storedFacts.relyingParties(),
    forgetPerson: async (identifier) => {
      const traces = [civilRegistry, createCitizenTraces(database)];
      await forgetPerson({ vault, civilRegistry, traces }, parsePersonIdentifier(identifier));
    },
    importCivilRegistry: async (csvPath) => {
      await importCivilRegistry({ csvPath, registry: civilRegistry });
    },
    rebuild: (name, onProgress) =>
      unhurried<Database>(databaseUrl, async (resources) => {
        const onEvents = ({ events }: { readonly events: number }) => onProgress(events);
        await rebuildReadModel(name, { ...resources, eventStore, vault, onProgress: onEvents });
      }),
    stop: async () => {
      await server.stop();
      if (has('worker')) {
        await Promise.all(reactors.map((reactor) => reactor.stop()));
        await jobs.stop();
      }
      await projector.stop();
      await eventLog.stop();
      await wake.stop();
      vault.stop();
      redis?.stop();
      keys.stop();
      await ecdsaDigests.stop();
      await database.destroy();
      await projecting.destroy();
      await closeDatabase();
      log.info({}, 'Stopped.');
      log.close();
    },
  };
}

/** Session aggregates kept in memory; ten minutes' worth at some eighty a second, else they are read again. */
const SESSIONS_REMEMBERED = 50_000;

/** The database and the master key: as configured, or the development profile's own. */
async function openFoundation(config: Config) {
  const { SVC_DATABASE_URL: url, SVC_SW_MASTER_KEY: key, SVC_DATA_DIR: dataDir } = config;
  const masterKey = key ?? (await developmentMasterKey(dataDir));
  if (url !== undefined) {
    return { databaseUrl: url, masterKey, closeDatabase: () => Promise.resolve() };
  }
  const embedded = await developmentDatabase(dataDir);
  return { databaseUrl: embedded.url, masterKey, closeDatabase: () => embedded.stop() };
}

function openEventLog(config: Config, databaseUrl: string, log: Log) {
  const options = {
    queueLimit: config.SVC_APPEND_QUEUE,
    onError: (cause: unknown) => log.warn({ err: cause }, 'The event log was interrupted.'),
  };
  return config.SVC_EVENTSTORE_URL === undefined
    ? createPostgresEventLog({ url: databaseUrl, ...options })
    : createEventStoreDbEventLog({ url: config.SVC_EVENTSTORE_URL, ...options });
}

function openPushGateway(config: Config, metrics: Metrics) {
  const { SVC_PUSH_GATEWAY_URL: url, SVC_PUSH_GATEWAY_TOKEN: token = '' } = config;
  if (url === undefined) return createNoPushGateway();
  const onCalled = (status: string, seconds: number) =>
    metrics.externalRequest('push', 'notify', status, seconds);
  return createHttpPushGateway({ url, token, onCalled });
}

/** A command given on the machine itself. */
function commandLine(): CommandContext {
  const id = randomness.uuid();
  return {
    actor: { kind: 'operator', id: 'command line' },
    correlationId: id,
    causationId: id,
    requestId: null,
    ip: null,
  };
}

/** Where there are other processes, a poll may wait in one of them. */
function completionWake(config: Config, wake: PostgresWake): WakeSender {
  return config.SVC_SOLE_PROCESS ? wake : createEagerWake(wake);
}
