import { createLogDisturbances } from '../../infrastructure/telemetry/logDisturbances.ts';
import { createLostEvents } from '../../application/log/lostEvents.ts';
import { createLogVerification } from '../../application/log/verifyLog.ts';
import { createRememberedFacts } from '../../application/log/rememberedFacts.ts';
import { createRestoreGate } from '../../application/log/restoreGate.ts';
import { createSoleProcess } from '../../application/soleProcess.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import {
  masterKeyMark,
  readMasterKeys,
  recordMasterKey,
} from '../../infrastructure/codec/postgresMasterKeys.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { createSessionTokens } from '../../infrastructure/codec/sessionTokens.ts';
import { type Config, settleMsOf } from '../../infrastructure/config/config.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import {
  createDatabase,
  createPool,
  failingFast,
  isOutage,
} from '../../infrastructure/postgres/pool.ts';
import {
  connectionBudget,
  connectionNames,
  connectionsInAll,
} from '../../infrastructure/postgres/connectionBudget.ts';
import {
  createClockTrust,
  createMemory,
  systemClock,
  systemRandomness,
  whileRight,
} from '../../infrastructure/system.ts';
import { createOutside } from '../../infrastructure/outside/bounds.ts';
import { openTelemetry } from './telemetry.ts';
import { createPostgresDeadLetters } from '../../infrastructure/postgres/deadLetters.ts';
import { createPostgresUndelivered } from '../../infrastructure/postgres/undelivered.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { createServerWatch } from '../../infrastructure/postgres/serverWatch.ts';
import { createPostgresRestoredBackups } from '../../infrastructure/postgres/restoredBackups.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { redactedAddress } from '../../infrastructure/config/redactedAddress.ts';
import { findHolders } from '../../infrastructure/postgres/lockHolders.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import { createLog } from '../../infrastructure/telemetry/log.ts';
import { createOutageLog } from '../../infrastructure/telemetry/outageLog.ts';
import { createMetrics } from '../../infrastructure/telemetry/metrics.ts';
import { createPostgresCivilRegistry } from '../../infrastructure/registry/postgresCivilRegistry.ts';
import { createAuditTrail } from '../../projections/audit/auditTrail.ts';
import {
  createCheckpointMoves,
  createCheckpoints,
  createProjectionProgress,
} from '../../projections/engine/checkpoints.ts';
import type { Database } from '../../projections/database.ts';
import type { AnyReadModel } from '../../projections/engine/readModel.ts';
import { createLists } from '../../projections/engine/lists.ts';
import { createLoggedClient } from '../../projections/loggedClient.ts';
import { createLoggedRow } from '../../projections/engine/loggedRow.ts';
import { createProjector, projectorLock } from '../../projections/engine/projector.ts';
import { createStalenessWatch, type StalenessWatch } from '../../projections/engine/staleness.ts';
import { createParkedRows } from '../../projections/parkedRows.ts';
import { readModels } from '../../projections/readModels.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { archivedAudit, openArchive } from './archiveReading.ts';
import { announcedHere, followLevel, migrateHere } from './release.ts';
import type { ShutdownStack } from './shutdownStack.ts';
import { openDatabase, openHotLog, openRedis } from './stores.ts';
import { openFoldUpkeep, openLogUpkeep, openViewUpkeep } from './upkeep.ts';
import {
  createFactReferenceData,
  createFactRows,
  createFactSources,
  createReferenceData,
} from '../../projections/referenceData.ts';

/** Several comparisons of the clocks may fail before timestamps stop, ms. */
const DATABASE_CLOCK_FRESH_MS = 60_000;

/** Parts of the foundation that measuring and testing replace. */
export interface FoundationHooks {
  /** Stands around the store of events, to observe or hold appends and batches. */
  readonly aroundLog?: (log: EventLog) => EventLog;
  /** Decorates the watch over read models, to observe which of them an answer depends on. */
  readonly aroundStaleness?: (staleness: StalenessWatch) => StalenessWatch;
  /** Stands in for the machine's clock, except where that is compared with the database's. */
  readonly clock?: Clock;
  /** Persons whose keys are kept in memory. */
  readonly keysRemembered?: number | undefined;
  /** Called once when the upgrade to a newer release was finished meanwhile. */
  readonly onOutdated?: (cause: Error) => void;
}

/** Common infrastructure: the log, the read models, notifications. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/**
 * Opens the database (migrated) and builds the infrastructure on it; `start` starts it.
 *
 * @param hooks may wrap the store of events and the watch over read models, for measuring, and stand in for the clock
 * @param shutdown receives the stop function of everything opened
 */
export async function openFoundation(
  config: Config,
  {
    aroundLog = (log) => log,
    aroundStaleness = (watch) => watch,
    clock = systemClock,
    keysRemembered,
    onOutdated,
  }: FoundationHooks,
  shutdown: ShutdownStack,
) {
  const randomness = systemRandomness;
  const metrics = createMetrics();
  const telemetry = await openTelemetry(config, metrics);
  const log = createLog({ level: config.SVC_LOG_LEVEL, fields: telemetry?.traceFields });
  const outageLog = createOutageLog(log);
  shutdown.defer(() => {
    outageLog.stop();
    log.info({}, 'Stopped.');
    log.close();
  });
  shutdown.defer(async () => {
    await telemetry?.stop();
    metrics.stop();
  });
  const outside = createOutside();
  const { databaseUrl, masterKeys: given, closeDatabase } = await openDatabase(config);
  shutdown.defer(closeDatabase);
  const budget = connectionBudget(config);
  const pool = createPool({ url: databaseUrl, max: budget.requests, queryTimeoutMs: 5000 });
  const database = createDatabase<Database>(pool);
  const databaseClock = createClockTrust({
    clock: systemClock,
    reference: "the database server's",
    freshMs: DATABASE_CLOCK_FRESH_MS,
  });
  const serverWatch = createServerWatch({
    pool,
    // The machine's own, whatever stands in for it: a process is asked about the machine it runs on.
    clock: systemClock,
    log,
    connections: connectionsInAll(budget),
    isStrict: config.SVC_PROFILE === 'production',
    onCompared: (comparison) => {
      metrics.clockOffset(comparison.offsetMs / 1000);
      databaseClock.compared(comparison);
    },
  });
  // Projection batches have no waiting client: they may take longer than a request.
  const projecting = createDatabase<Database>(
    createPool({
      url: databaseUrl,
      max: Math.max(1, budget.projections),
      applicationName: connectionNames.projections,
      queryTimeoutMs: 60_000,
      prepare: true,
    }),
  );

  shutdown.defer(async () => {
    serverWatch.stop();
    await database.destroy();
    // kysely ends the pool only after a query through it.
    if (!pool.ended) await pool.end();
    await projecting.destroy();
  });

  // A server that cannot be relied on is not written to.
  await serverWatch.start();
  await migrateHere(databaseUrl, log);
  const masterKeys = await readMasterKeys(pool, given);
  await recordMasterKey(pool, masterKeys);
  const { derivationKey, wrapping } = masterKeys;
  const notifications = createNotifications({
    url: databaseUrl,
    name: announcedHere(given.map(masterKeyMark)),
  });
  const releaseLevel = followLevel(pool, notifications, log, onOutdated);

  const restoredBackups = createPostgresRestoredBackups(pool);

  // Write side: the log, the codec, the keys of personal data.
  const vault = createPersonalDataVault({
    keys: createPostgresPersonKeys({ pool }),
    masterKey: derivationKey,
    wrapping,
    capacity: keysRemembered,
  });
  const lostEvents = createLostEvents({ log, onNoticed: () => metrics.logLostEvents() });
  lostEvents.onNoticed(() => vault.dropKeys());
  const hotLog = await openHotLog(config, { databaseUrl, log: outageLog, lostEvents, budget });
  const restoreGate = createRestoreGate({
    backups: restoredBackups,
    clock,
    settleMs: settleMsOf(config),
    async holdsSeen() {
      const server = await hotLog.holdsSeen();
      // Afterwards: a loss that was noticed meanwhile is forgotten by the log.
      await lostEvents.check();
      return server;
    },
  });
  const archive = openArchive(config, pool, { metrics, outside });
  const auditOfArchived = archivedAudit(archive.events);
  const disturbances = createLogDisturbances();
  const eventStore = createEventLog({
    store: aroundLog(hotLog),
    archive: archive.events,
    meter: { noting: disturbances.noting, appended: metrics.appended },
    vault,
    level: releaseLevel.installation,
  });
  const eventLog = eventStore.encoded;
  const verifyLog = createLogVerification({
    eventLog,
    eventStore,
    clock,
    randomness,
    followedLog: createPostgresFollowedLog(pool),
    logAddress: redactedAddress(config.SVC_EVENTSTORE_URL ?? databaseUrl),
    wrappingKeyFingerprint: deriveMasterKeys(derivationKey).fingerprint,
  });

  const logUpkeep =
    config.SVC_EVENTSTORE_URL === undefined ? openLogUpkeep(databaseUrl, outageLog) : null;

  const viewUpkeep = openViewUpkeep(databaseUrl, outageLog);

  // Projections.
  const processLock = createLeaderLock({
    url: databaseUrl,
    isFit: serverWatch.hasRightClock,
    onActive: (name) => log.info({ activity: name }, 'Active here.'),
    onHung: (process) =>
      log.error({ process }, 'A process was unresponsive and was put on standby.'),
    onError: (name, cause) =>
      outageLog.error({ activity: name, err: cause }, 'An activity failed.'),
  });
  const leaderLock = processLock.spread('tamga-worker');
  const soleProcess = config.SVC_SOLE_PROCESS
    ? createSoleProcess({ leaderLock: processLock })
    : null;
  const staleness = aroundStaleness(
    createStalenessWatch({
      database,
      eventStore,
      names: readModels.map(({ name }) => name),
      findProjectors: () => findHolders(pool, projectorLock),
      maxMs: config.SVC_MAX_STALENESS * 1000,
      everyMs: Math.min(1000, config.SVC_MAX_STALENESS * 250),
    }),
  );
  const loggedRow = createLoggedRow(eventStore, vault);
  const factRows = failingFast(createFactRows(database));
  const facts = createRememberedFacts({
    sources: createFactSources(factRows, loggedRow, vault, createLoggedClient(eventStore)),
    eventStore,
    staleness,
    notifications,
    vault,
    newMemory: createMemory,
    onFailure: (cause) =>
      outageLog.error({ err: cause }, 'The subscription to facts was interrupted.'),
  });
  lostEvents.onNoticed(() => facts.clear());
  const storedReferenceData = createReferenceData(database, vault);
  const isProjector = config.SVC_ROLES.includes('projector');
  const checkpoints = createCheckpointMoves(isProjector ? projecting : database);
  const projector = createProjector({
    foldUpkeep: openFoldUpkeep(databaseUrl, { eventStore, vault, log }),
    database: projecting,
    checkpoints,
    eventStore,
    vault,
    notifications,
    clock,
    leaderLock: processLock,
    isOutage: isOutage,
    onFailure: (projection, cause, eventId) =>
      log.error(
        { projection, eventId, err: cause },
        'A projection stopped. See docs/operations.md.',
      ),
    onParked: (projection, cause, eventId) =>
      log.error(
        { projection, eventId, err: cause },
        'An event was parked. Run ./tamga projection list and see docs/operations.md.',
      ),
    onNewer: (projection, cause) =>
      log.warn(
        { projection, err: cause },
        'Events of a newer release are waiting for a process that can read them (docs/upgrading.md).',
      ),
  });
  const lists = createLists({ database });
  const redis = await openRedis(config);

  /** Progress of the read models that an answer is made from. */
  const progressOf = (...models: readonly AnyReadModel[]) =>
    isProjector
      ? projector.progressOf(models)
      : createProjectionProgress({ database, names: models.map(({ name }) => name) });

  shutdown.defer(async () => {
    restoreGate.stop();
    await projector.stop();
    await staleness.stop();
    await lists.stop();
    await Promise.all([logUpkeep?.stop(), viewUpkeep.stop()]);
    await hotLog.stop();
    await releaseLevel.stop();
    await notifications.stop();
    vault.stop();
    redis?.stop();
    await soleProcess?.stop();
  });

  return {
    clock,
    randomness,
    log,
    /** For failures that their callers hear of, or that are tried again. */
    outageLog,
    metrics,
    outside,
    databaseUrl,
    derivationKey,
    wrapping,
    pool,
    database,
    vault,
    /** The log as it is stored, with its archive. */
    eventLog,
    /** The store alone. */
    hotLog,
    archive,
    eventStore,
    disturbances,
    notifications,
    leaderLock,
    storedReferenceData,
    referenceData: createFactReferenceData(facts, factRows, vault),
    facts,
    staleness,
    loggedRow,
    projector,
    redis,
    lists,
    auditTrail: failingFast(createAuditTrail(database, vault, auditOfArchived.withId)),
    auditOfArchived,
    civilRegistry: createPostgresCivilRegistry({ pool, vault }),
    sessionTokens: createSessionTokens({ masterKey: derivationKey, randomness }),
    sessionViews: failingFast(createSessionViews(database)),
    checkpoints: failingFast(createCheckpoints(database, checkpoints)),
    hasRightClock: serverWatch.hasRightClock,
    /** For events: a process whose clock is wrong decides nothing by it. */
    datingClock: whileRight(clock, serverWatch.hasRightClock),
    databaseClock,
    restoredBackups,
    restoreGate,
    /** Checks of PostgreSQL for `/readyz`. */
    serverChecks: {
      ...serverWatch.checks,
      release: () => releaseLevel.check(),
      ...(soleProcess && { soleProcess: () => soleProcess.check() }),
    },
    lostEvents,
    deadLetters: createPostgresDeadLetters(pool),
    undelivered: createPostgresUndelivered(pool),
    parkedRows: failingFast(createParkedRows(database)),
    progressOf,
    /** Waits for all of them, the audit too. */
    auditProgress: progressOf(...readModels),
    /** Checks that log and database belong together. @throws WrongLog, Unavailable */
    verifyLog,
    /**
     * @param isCommand leaves the partitions to the processes of the service
     * @throws AnotherProcess; WrongLog before anything else is read from or appended to the log
     */
    start: async ({ isCommand = false }: { readonly isCommand?: boolean }) => {
      await vault.start();
      await hotLog.start();
      await verifyLog();
      await restoreGate.start();
      if (!isCommand) {
        logUpkeep?.start();
        viewUpkeep.start();
      }
      await soleProcess?.start();
      await notifications.start();
      await releaseLevel.start();
      await staleness.start();
    },
  };
}
