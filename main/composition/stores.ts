import type { LostEvents } from '../../application/log/lostEvents.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import {
  developmentDatabase,
  developmentMasterKey,
} from '../../infrastructure/config/development.ts';
import type { GivenMasterKeys } from '../../infrastructure/codec/postgresMasterKeys.ts';
import { createPostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import type { ConnectionBudget } from '../../infrastructure/postgres/connectionBudget.ts';

/** The database and the master keys: configured, or created by the development profile. */
export async function openDatabase(config: Config) {
  const { SVC_DATABASE_URL: url, SVC_DATA_DIR: dataDir } = config;
  const masterKeys = await givenMasterKeys(config);
  if (url !== undefined) {
    return { databaseUrl: url, masterKeys, closeDatabase: () => Promise.resolve() };
  }
  const embedded = await developmentDatabase(dataDir);
  return { databaseUrl: embedded.url, masterKeys, closeDatabase: () => embedded.stop() };
}

/** Master keys of the settings, the present one first. */
export async function givenMasterKeys(config: Config): Promise<GivenMasterKeys> {
  const { SVC_SW_MASTER_KEY: key, SVC_SW_MASTER_KEY_PREVIOUS: previous } = config;
  const present = key ?? (await developmentMasterKey(config.SVC_DATA_DIR));
  return previous === undefined ? [present] : [present, previous];
}

// Clients of servers that are not configured are not loaded: a third of all modules of a process.

/** Client of the configured Redis; null without. */
export async function openRedis({ SVC_REDIS_URL: url }: Config) {
  if (url === undefined) return null;
  const { createRedisClient } = await import('../../infrastructure/redis/client.ts');
  return createRedisClient(url);
}

/** Store of the log: PostgreSQL, or EventStoreDB where it is configured. */
export async function openHotLog(
  config: Config,
  {
    databaseUrl,
    log,
    lostEvents,
    budget: { logReaders: readers },
  }: {
    readonly databaseUrl: string;
    readonly log: Log;
    readonly lostEvents: LostEvents;
    readonly budget: ConnectionBudget;
  },
) {
  const options = {
    queueLimit: config.SVC_APPEND_QUEUE,
    onError: (cause: unknown) => log.warn({ err: cause }, 'The event log was interrupted.'),
  };
  const { SVC_EVENTSTORE_URL: url } = config;
  if (url === undefined) {
    return createPostgresEventLog({
      url: databaseUrl,
      readers,
      onEventsLost: lostEvents.noticed,
      ...options,
    });
  }
  const { createEventStoreDbEventLog } =
    await import('../../infrastructure/eventstore/eventStoreDbEventLog.ts');
  return createEventStoreDbEventLog({ url, ...options });
}
