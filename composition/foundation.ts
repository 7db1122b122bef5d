import type { EventLog } from '../application/ports/eventLog.ts';
import type { Log } from '../application/ports/log.ts';
import { createEventStore } from '../infrastructure/codec/codec.ts';
import { createPersonalDataVault } from '../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../infrastructure/codec/postgresPersonKeys.ts';
import { createSessionTokens } from '../infrastructure/codec/sessionTokens.ts';
import type { Config } from '../infrastructure/config.ts';
import { developmentDatabase, developmentMasterKey } from '../infrastructure/development.ts';
import { createEventStoreDbEventLog } from '../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createPostgresEventLog } from '../infrastructure/eventstore/postgresEventLog.ts';
import { failingFast, isAway } from '../infrastructure/postgres/availability.ts';
import { createCachedFacts } from '../infrastructure/postgres/cachedFacts.ts';
import { migrate } from '../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../infrastructure/postgres/pool.ts';
import { createSingleActive } from '../infrastructure/postgres/singleActive.ts';
import { unhurried } from '../infrastructure/postgres/unhurried.ts';
import { createWake } from '../infrastructure/postgres/wakeListener.ts';
import { createRedisClient } from '../infrastructure/redis/client.ts';
import { systemClock, systemRandomness } from '../infrastructure/system.ts';
import { createLog } from '../infrastructure/telemetry/log.ts';
import { measuredEventLog } from '../infrastructure/telemetry/measuredEventLog.ts';
import { createMetrics } from '../infrastructure/telemetry/metrics.ts';
import { createCheckpoints } from '../projections/checkpoints.ts';
import type { Database } from '../projections/database.ts';
import { createProjectionProgress } from '../projections/progress.ts';
import { createProjector } from '../projections/projector.ts';
import { createFacts, readModels } from '../projections/readModels.ts';
import { createSessionViews } from '../projections/sessions.ts';

/** What everything stands on: the log, the read models, who is told of changes. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/**
 * Opens the database (migrated) and builds what stands on it; `start` starts it.
 *
 * @param aroundLog may wrap the event log, for measuring
 */
export async function openFoundation(config: Config, aroundLog: (log: EventLog) => EventLog) {
  const clock = systemClock;
  const randomness = systemRandomness;
  const log = createLog({ level: config.SVC_LOG_LEVEL });
  const metrics = createMetrics();
  const { databaseUrl, masterKey, closeDatabase } = await openDatabase(config);
  await unhurried(databaseUrl, (resources) => migrate(resources.database));
  const max = config.SVC_DATABASE_POOL;
  const pool = createPool({ url: databaseUrl, max, queryTimeoutMs: 5000 });
  const database = createDatabase<Database>(pool);
  // Nobody waits for a batch of projections: it may take longer than a request.
  const projecting = createDatabase<Database>(
    createPool({
      ...{ url: databaseUrl, max: readModels.length, queryTimeoutMs: 60_000, prepare: true },
    }),
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
  const projector = createProjector({
    ...{ database: projecting, eventStore, vault, wake, clock, singleActive },
    isOutage: isAway,
    onFailure: (projection, cause, eventId) =>
      log.error(
        { projection, eventId, err: cause },
        'A projection stopped: see docs/operations.md.',
      ),
  });
  const redis = config.SVC_REDIS_URL === undefined ? null : createRedisClient(config.SVC_REDIS_URL);

  return {
    ...{ clock, randomness, log, metrics, databaseUrl, masterKey, pool, database },
    ...{ vault, eventLog, eventStore, wake, singleActive, storedFacts, facts, projector, redis },
    sessionTokens: createSessionTokens({ masterKey, randomness }),
    sessionViews: failingFast(createSessionViews(database)),
    checkpoints: failingFast(createCheckpoints(database)),
    progress: config.SVC_ROLES.includes('projector')
      ? projector.progress
      : createProjectionProgress({ database }),
    /** Waits for the audit too. */
    auditProgress: config.SVC_ROLES.includes('projector')
      ? projector
      : createProjectionProgress({ database, names: readModels.map(({ name }) => name) }),
    start: async () => {
      await vault.start();
      await eventLog.start();
      await wake.start();
    },
    /** Stops projecting and following the log; the database stays open. */
    stop: async () => {
      await projector.stop();
      await eventLog.stop();
      await wake.stop();
      vault.stop();
      redis?.stop();
    },
    close: async () => {
      await database.destroy();
      // kysely ends the pool of a database that it was asked something of; the pool alone was used otherwise.
      if (!pool.ended) await pool.end();
      await projecting.destroy();
      await closeDatabase();
    },
  };
}

/** The database and the master key: as configured, or the development profile's own. */
async function openDatabase(config: Config) {
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
