import { eventBatches } from '../ports/eventBatches.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { archivedCategory } from './archivedEventLog.ts';
import { incompleteSessions, without } from './completeSessions.ts';
import type {
  ArchivableLog,
  ArchiveCatalog,
  ArchiveEntry,
  ArchiveFiles,
  NothingToArchive,
  PositionRange,
} from './ports/archive.ts';

export interface ArchivingOptions {
  /** The log with what it has itself alone. */
  readonly eventLog: Pick<EventLog, 'subscribe' | 'head'>;
  readonly archivable: ArchivableLog;
  readonly catalog: Pick<ArchiveCatalog, 'entries'>;
  readonly files: ArchiveFiles;
}

export interface ArchivingProgress {
  readonly range: PositionRange;
  readonly step: 'looking' | 'writing' | 'verifying' | 'removing';
  /** Events written; of the step `writing`. */
  readonly events?: number;
}

export interface ArchivingHooks {
  readonly onProgress?: (progress: ArchivingProgress) => void;
  readonly onArchived?: (entry: ArchiveEntry) => void;
  /** Ends the run between two ranges. */
  readonly signal?: AbortSignal;
}

/** Moves ended sessions to the archive, and back. One process at a time. */
export interface Archiving {
  /**
   * Archives what ended before this moment, range by range: each is written, read back and verified before anything is
   * removed. Completes what an interrupted run began.
   *
   * @returns why it ended; null: by its signal
   * @throws DamagedArchive, Unavailable
   */
  run(before: Date, hooks?: ArchivingHooks): Promise<NothingToArchive | null>;
  /** Verifies an entry. @throws DamagedArchive, Unavailable */
  verify(entry: ArchiveEntry): Promise<void>;
  /** Puts an entry's events back into the log and removes it from the archive. @throws DamagedArchive, Unavailable */
  restore(entry: ArchiveEntry): Promise<void>;
}

export function createArchiving(options: ArchivingOptions): Archiving {
  const { eventLog, archivable, catalog, files } = options;

  const sessionsIn = ({ first, last }: PositionRange) =>
    eventBatches(eventLog, first - 1n, { upTo: last, categories: [archivedCategory] });

  async function archive(range: PositionRange, { onProgress, onArchived }: ArchivingHooks) {
    onProgress?.({ range, step: 'looking' });
    const incomplete = await incompleteSessions(sessionsIn(range));
    const entry = await files.write(range, without(incomplete, sessionsIn(range)), (events) =>
      onProgress?.({ range, step: 'writing', events }),
    );
    onProgress?.({ range, step: 'verifying' });
    await files.verify(entry);
    onProgress?.({ range, step: 'removing' });
    await archivable.takeOut(entry, () => files.read(entry));
    onArchived?.(entry);
  }

  return {
    async run(before, hooks = {}) {
      for (const entry of await catalog.entries()) {
        if (!entry.isRemoved) await archivable.takeOut(entry, () => files.read(entry));
      }
      while (hooks.signal?.aborted !== true) {
        const next = await archivable.nextRange(before);
        if ('reason' in next) return next;
        await archive(next, hooks);
      }
      return null;
    },
    verify: (entry) => files.verify(entry),
    async restore(entry) {
      await files.verify(entry);
      await archivable.putBack(entry, () => files.read(entry));
      await files.remove(entry);
    },
  };
}
