import type { LostEvents } from '../../application/log/lostEvents.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import {
  developmentDatabase,
  developmentMasterKey,
} from '../../infrastructure/config/development.ts';
import { createPostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import type { ConnectionBudget } from '../../infrastructure/postgres/connectionBudget.ts';

/** The database and the master key: configured, or created by the development profile. */
export async function openDatabase(config: Config) {
  const { SVC_DATABASE_URL: url, SVC_SW_MASTER_KEY: key, SVC_DATA_DIR: dataDir } = config;
  const masterKey = key ?? (await developmentMasterKey(dataDir));
  if (url !== undefined) {
    return { databaseUrl: url, masterKey, closeDatabase: () => Promise.resolve() };
  }
  const embedded = await developmentDatabase(dataDir);
  return { databaseUrl: embedded.url, masterKey, closeDatabase: () => embedded.stop() };
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
