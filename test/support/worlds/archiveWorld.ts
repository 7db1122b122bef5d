import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { createArchiving } from '../../../application/archive/archiving.ts';
import type { ArchivableLog, ArchivedEvents } from '../../../application/archive/ports/archive.ts';
import type { EventLog } from '../../../application/ports/eventLog.ts';
import { archivedAudit } from '../../../main/composition/archiveReading.ts';
import type { ObjectStore } from '../../../application/ports/objectStore.ts';
import { createArchiveCatalog } from '../../../infrastructure/postgres/archiveCatalog.ts';
import { createArchivedEvents } from '../../../infrastructure/archive/archivedEvents.ts';
import { createArchiveFiles } from '../../../infrastructure/archive/archiveFiles.ts';
import { createManifestSigner } from '../../../infrastructure/archive/manifestSigner.ts';
import { createEventLog } from '../../../infrastructure/eventstore/eventLog.ts';
import type { WatchingVault } from '../../../infrastructure/codec/personalDataVault.ts';
import { createDirectoryObjects } from '../../../infrastructure/files/directoryObjects.ts';
import { createOutside } from '../../../infrastructure/outside/bounds.ts';
import { createTemporarySpool } from '../../../infrastructure/files/temporarySpool.ts';
import { createDatabase, createPool, isOutage } from '../../../infrastructure/postgres/pool.ts';
import { createAuditCsv } from '../../../infrastructure/postgres/auditCsv.ts';
import { createPostgresAuditTree } from '../../../infrastructure/postgres/auditTree.ts';
import { createLeaderLock } from '../../../infrastructure/postgres/leaderLock.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { createAuditTrail } from '../../../projections/audit/auditTrail.ts';
import type { Database } from '../../../projections/database.ts';
import { createProjector } from '../../../projections/engine/projector.ts';
import { until } from '../assertions/waiting.ts';
import { testVault } from '../doubles/vault.ts';
import { type TestAuthority, startTestAuthority } from '../doubles/memoryPki.ts';
import { migratedDatabase } from '../events/eventLogs.ts';
import type { StoredEvent } from '../eventStoreDb/storedEvents.ts';
import { freshDatabase } from '../programs/postgres.ts';
import type { LogToArchive, OpenLogToArchive } from './archivableLogs.ts';
import { createAuditTreeWorld } from './auditTreeWorld.ts';
import { systemClock } from '../../../infrastructure/system.ts';
import * as persons from '../../../projections/audit/personOf.ts';

/** A store that can be made to fail. */
export interface WatchedStore extends ObjectStore {
  /** Thrown by every call; null: it answers. */
  failure: Error | null;
}

function watched(store: ObjectStore): WatchedStore {
  const answering = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (state.failure !== null) throw state.failure;
    return call();
  };
  const state: WatchedStore = {
    failure: null,
    put: (...given) => answering(() => store.put(...given)),
    get: (...given) => answering(() => store.get(...given)),
    remove: (...given) => answering(() => store.remove(...given)),
  };
  return state;
}

export type ArchiveWorld<Log extends LogToArchive = LogToArchive> = Awaited<
  ReturnType<typeof openWorldOf<Log>>
>;

/** State that a copy of a world begins with. */
export interface CopiedWorld {
  /** The name of a database that nobody is connected to. */
  readonly database: string;
  readonly records: readonly StoredEvent[];
  readonly vault: WatchingVault;
  readonly pki: TestAuthority;
}

/**
 * A log with its read models and its tree, and an archive in a directory. They follow the log from the start; in a copy,
 * where they have followed what there is, once they have something to wait for.
 */
export async function openWorldOf<Log extends LogToArchive>(
  openLog: OpenLogToArchive<Log>,
  copied?: CopiedWorld,
) {
  const url = await (copied === undefined ? migratedDatabase() : freshDatabase(copied.database));
  const directory = await mkdtemp(join(tmpdir(), 'tamga-archive-'));
  const pool = createPool({ url });
  const database: Kysely<Database> = createDatabase<Database>(pool);
  const vault = copied?.vault ?? testVault();
  const pki = copied?.pki ?? (await startTestAuthority());
  const toArchive = await openLog(url, pool, copied?.records);
  const { log, archivable, isInPostgres } = toArchive;
  const catalog = createArchiveCatalog(pool);
  const store = watched(
    createDirectoryObjects({
      directory,
      dependency: 'archive',
      access: createOutside().open('archive'),
      isMade: false,
    }),
  );
  const archived: ArchivedEvents = createArchivedEvents({ catalog, store });
  const eventStore = createEventLog({ store: log, archive: archived, vault });
  const whole: EventLog = { ...eventStore.encoded, append: log.append };
  const clock = systemClock;
  const tree = await createAuditTreeWorld(url, whole, { logIsHere: isInPostgres, pki });
  const treeProcess = tree.process();
  const auditOfArchived = archivedAudit(archived);
  const failures: unknown[] = [];
  const projector = createProjector({
    database,
    eventStore,
    vault,
    notifications: createNotificationHub(),
    clock,
    isOutage,
    onFailure: (_name, cause) => failures.push(cause),
    leaderLock: createLeaderLock({ url, pollMs: 20 }),
  });
  const files = createArchiveFiles({
    store,
    spool: createTemporarySpool({ access: createOutside().open('temporaryFiles') }),
    signer: createManifestSigner(treeProcess.keys),
    clock,
  });
  const archiving = (overrides: Partial<ArchivableLog> = {}, now = clock.now) =>
    createArchiving({
      eventLog: log,
      archivable: { ...archivable, ...overrides },
      catalog,
      files,
      clock: { now },
    });
  let isFollowed = false;
  const follow = () => {
    if (isFollowed) return;
    isFollowed = true;
    projector.start();
    treeProcess.grower.start();
  };
  if (copied === undefined) follow();

  return {
    url,
    pki,
    directory,
    pool,
    database,
    vault,
    toArchive,
    /** The log without its archive. */
    log,
    /** The log with its archive. */
    whole,
    eventStore,
    catalog,
    archived,
    store,
    files,
    archivable,
    archiving,
    tree,
    treeProcess,
    /** The tree's store as the service opens it. */
    treeStore: createPostgresAuditTree(pool, isInPostgres, archived.withId),
    auditTrail: createAuditTrail(database, vault, auditOfArchived.withId),
    auditCsv: createAuditCsv({
      url,
      vault,
      persons,
      pageRows: 16,
      archivedRows: auditOfArchived.between,
    }),
    failures,
    /** Waits until nothing that follows the log is behind. */
    async settled(): Promise<void> {
      follow();
      await tree.untilGrown();
      const head = (await log.head()) ?? 0n;
      await projector.untilProjected(head);
      await until(async () => {
        const { rows } = await pool.query<{ behind: bigint }>(
          'select count(*) as behind from checkpoint where position < $1',
          [head],
        );
        return rows[0]?.behind === 0n;
      });
    },
    async rows<Row>(text: string, values: unknown[] = []): Promise<readonly Row[]> {
      return (await pool.query(text, values)).rows as Row[];
    },
    async close() {
      await projector.stop();
      await treeProcess.grower.stop();
      await toArchive.stop();
      await tree.stop();
      await database.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
