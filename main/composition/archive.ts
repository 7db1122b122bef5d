import type pg from 'pg';
import { createArchiving, type ArchivingHooks } from '../../application/archive/archiving.ts';
import { createSessionArchiver } from '../../application/archive/sessionArchiver.ts';
import type {
  ArchivableLog,
  ArchiveEntry,
  CatalogedEntry,
  NothingToArchive,
} from '../../application/archive/ports/archive.ts';
import { createArchiveFiles } from '../../infrastructure/archive/archiveFiles.ts';
import { createManifestSigner } from '../../infrastructure/archive/manifestSigner.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import type {
  NodeScavenge,
  ScavengeOptions,
} from '../../infrastructure/eventstore/eventStoreDb/scavenge.ts';
import { createEventStoreDbArchivableLog } from '../../infrastructure/eventstore/eventStoreDbArchivableLog.ts';
import { createPostgresArchivableLog } from '../../infrastructure/postgres/archivableLog.ts';
import { createTemporarySpool } from '../../infrastructure/files/temporarySpool.ts';
import { createAdvisoryLock } from '../../infrastructure/postgres/advisoryLock.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import type { AuditTree } from './auditTree.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

const DAY_MS = 86_400_000;

/** Commands of the machine's operators. */
export interface ArchiveAdministration {
  entries(): Promise<readonly CatalogedEntry[]>;
  run(before: Date, hooks: ArchivingHooks): Promise<NothingToArchive | null>;
  verify(entry: ArchiveEntry): Promise<void>;
  restore(entry: CatalogedEntry): Promise<void>;
  /** Gives the disk of what was archived back, one node of EventStoreDB after the other. @returns outcome of each */
  scavenge(options: ScavengeOptions): Promise<readonly NodeScavenge[]>;
}

/** The archive of ended sessions: filled by a worker when they are old enough, or by hand. */
export function composeArchive({ config, foundation, effects }: Core, tree: AuditTree) {
  const { archive, hotLog, databaseUrl, clock, leaderLock, log } = foundation;
  const pool = createPool({ url: databaseUrl, max: 2, applicationName: 'tamga maintenance' });
  const exclusively = createAdvisoryLock(pool);
  const files = createArchiveFiles({
    store: archive.store,
    spool: createTemporarySpool({ access: foundation.outside.open('temporaryFiles') }),
    signer: createManifestSigner(tree.keys),
    clock,
  });
  const archiving = createArchiving({
    eventLog: hotLog,
    archivable: openArchivableLog(config, foundation, pool),
    catalog: archive.catalog,
    files,
    clock,
  });
  const administration: ArchiveAdministration = {
    entries: () => archive.catalog.entries(),
    run: (before, hooks) => exclusively('archive', () => archiving.run(before, hooks)),
    verify: (entry) => archiving.verify(entry),
    restore: (entry) => exclusively('archive', () => archiving.restore(entry)),
    scavenge: async (options) => {
      const url = deletingUrl(config);
      const { scavengeNodes } =
        await import('../../infrastructure/eventstore/eventStoreDb/scavenge.ts');
      return scavengeNodes(url, options);
    },
  };
  const { SVC_SESSION_RETENTION: days } = config;
  const module: ServiceModule = {
    reactors:
      days === undefined
        ? []
        : [
            createSessionArchiver({
              archive: async (before, signal) => {
                const ended = await administration.run(before, {
                  signal,
                  onArchived: ({ name, streams, events, bytes }) =>
                    log.info({ name, streams, events, bytes }, 'Ended sessions were archived.'),
                });
                if (ended?.reason !== 'behind') return;
                log.warn(
                  { follower: ended.follower },
                  'The archive waits for a subscriber that is behind.',
                );
              },
              retentionMs: days * DAY_MS,
              clock,
              leaderLock,
              onFailure: effects.onFailure,
            }),
          ],
    stop: () => pool.end(),
  };
  return { module, administration };
}

function openArchivableLog(
  config: Config,
  { hotLog }: Core['foundation'],
  pool: pg.Pool,
): ArchivableLog {
  if (config.SVC_EVENTSTORE_URL === undefined) return createPostgresArchivableLog(pool);
  return createEventStoreDbArchivableLog({
    pool,
    log: hotLog,
    deletingUrl: () => deletingUrl(config),
    entryEvents: config.SVC_ARCHIVE_ENTRY_EVENTS,
  });
}

/** Connection string of the user that may delete streams. @throws Error when there is none */
function deletingUrl(config: Config): string {
  const { SVC_EVENTSTORE_URL: log, SVC_EVENTSTORE_ARCHIVE_URL: url } = config;
  if (log === undefined) {
    throw new Error('The log is in PostgreSQL, which frees the space by itself.');
  }
  if (url !== undefined) return url;
  throw new Error(
    'Set SVC_EVENTSTORE_ARCHIVE_URL to the address with the user that may delete streams (docs/eventstoredb.md, Rights).',
  );
}
