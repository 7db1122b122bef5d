import type pg from 'pg';
import type { ArchivableLog } from '../../../application/archive/ports/archive.ts';
import type { EventLog } from '../../../application/ports/eventLog.ts';
import { makePartitions } from '../../bench/support/growth.ts';
import { createEventStoreDbArchivableLog } from '../../../infrastructure/eventstore/eventStoreDbArchivableLog.ts';
import { createEventStoreDbEventLog } from '../../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createPostgresArchivableLog } from '../../../infrastructure/postgres/archivableLog.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../eventStoreDb/eventStoreDbDouble.ts';
import type { StoredEvent } from '../eventStoreDb/storedEvents.ts';
import { scavengeServers } from '../eventStoreDb/scavenging.ts';
import { startPostgresEventLog } from '../events/eventLogs.ts';

/** Events of an entry, at most. */
export const ENTRY_EVENTS = 40;

/** A started log that can be archived. */
export interface LogToArchive {
  readonly log: EventLog;
  readonly archivable: ArchivableLog;
  readonly isInPostgres: boolean;
  /**
   * Records of a log in memory, to begin another with; empty where the database has the log, and null where it cannot be
   * copied.
   */
  readonly records: () => readonly StoredEvent[] | null;
  /** Begins to give the room of what was taken out back; to be repeated until it is. */
  reclaim(): void | Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param url of the database with the read models, and the log where it is in PostgreSQL
 * @param copied records of the log that this is a copy of
 */
export type OpenLogToArchive<Log extends LogToArchive = LogToArchive> = (
  url: string,
  pool: pg.Pool,
  copied?: readonly StoredEvent[],
) => Promise<Log>;

export const logInPostgres: OpenLogToArchive = async (url, pool, copied) => {
  if (copied === undefined) await makePartitions(url, ENTRY_EVENTS);
  const log = await startPostgresEventLog({ url });
  return {
    log,
    archivable: createPostgresArchivableLog(pool),
    isInPostgres: true,
    records: () => [],
    reclaim: () => undefined,
    stop: () => log.stop(),
  };
};

/** The log of servers that other tests use, too: of what was there before, nothing is seen. */
export const logOnServers =
  (serverUrl: string): OpenLogToArchive =>
  async (_url, pool) => {
    const shared = createEventStoreDbEventLog({ url: serverUrl });
    await shared.start();
    const start = (await shared.head()) ?? 0n;
    const log: EventLog = {
      ...shared,
      subscribe: (options) => {
        const { after } = options;
        return shared.subscribe({ ...options, after: (after ?? 0n) < start ? start : after });
      },
    };
    return {
      log,
      archivable: archivableAt(serverUrl, log, pool),
      isInPostgres: false,
      records: () => null,
      reclaim: () => scavengeServers(serverUrl),
      stop: () => shared.stop(),
    };
  };

const archivableAt = (url: string, log: EventLog, pool: pg.Pool) =>
  createEventStoreDbArchivableLog({
    pool,
    log,
    deletingUrl: () => url,
    entryEvents: ENTRY_EVENTS,
  });

export const logInEventStoreDb: OpenLogToArchive<
  LogToArchive & { double: EventStoreDbDouble }
> = async (_url, pool, copied = []) => {
  const double = await startEventStoreDbDouble({ copied });
  const log = createEventStoreDbEventLog({ url: double.url, timeoutMs: 2000 });
  await log.start();
  return {
    log,
    double,
    archivable: archivableAt(double.url, log, pool),
    isInPostgres: false,
    records: () => double.records(),
    reclaim: () => double.scavenge(),
    stop: async () => {
      await log.stop();
      await double.stop();
    },
  };
};
