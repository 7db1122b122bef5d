import type { Clock } from '../ports/clock.ts';
import { eventBatches } from '../ports/eventBatches.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { incompleteSessions, without } from './completeSessions.ts';
import {
  type ArchivableLog,
  type ArchiveCatalog,
  archivedCategory,
  type ArchiveEntry,
  type ArchiveFiles,
  type CatalogedEntry,
  type NothingToArchive,
  type PositionRange,
} from './ports/archive.ts';

export interface ArchivingOptions {
  /** The log with what it has itself alone. */
  readonly eventLog: Pick<EventLog, 'subscribe' | 'head'>;
  readonly archivable: ArchivableLog;
  readonly catalog: Pick<ArchiveCatalog, 'entries'>;
  readonly files: ArchiveFiles;
  readonly clock: Clock;
}

/** Time that a restored entry stays readable, ms: longer than readers cache what they read from the log. */
const STILL_READ_MS = 600_000;

export interface ArchivingProgress {
  readonly range: PositionRange;
  readonly step: 'looking' | 'writing' | 'verifying' | 'removing';
  /** Events written; of the step `writing`. */
  readonly events?: number;
}

export interface ArchivingHooks {
  readonly onProgress?: (progress: ArchivingProgress) => void;
  readonly onArchived?: (entry: ArchiveEntry) => void;
  /** Ends the run; within a range only before its events are removed. */
  readonly signal?: AbortSignal;
}

/** Moves ended sessions to the archive, and back. One process at a time. */
export interface Archiving {
  /**
   * Archives sessions that ended before this time, range by range: each entry is written, read back and verified before
   * its events are removed. Completes what an interrupted run started.
   *
   * @returns reason of the end; null: aborted by its signal
   * @throws DamagedArchive, Unavailable
   */
  run(before: Date, hooks?: ArchivingHooks): Promise<NothingToArchive | null>;
  /** Verifies an entry. @throws DamagedArchive, Unavailable */
  verify(entry: ArchiveEntry): Promise<void>;
  /**
   * Restores an entry's events into the log. A later run removes the entry from the archive: until then readers that
   * started earlier find the events there.
   *
   * @throws DamagedArchive, Unavailable
   */
  restore(entry: CatalogedEntry): Promise<void>;
}

export function createArchiving(options: ArchivingOptions): Archiving {
  const { eventLog, archivable, catalog, files, clock } = options;

  /** Ends with an error when the signal is aborted. */
  async function* sessionsIn({ first, last }: PositionRange, signal: AbortSignal | undefined) {
    const bounds = { upTo: last, categories: [archivedCategory] };
    for await (const batch of eventBatches(eventLog, first - 1n, bounds)) {
      signal?.throwIfAborted();
      yield batch;
    }
  }

  async function archive(range: PositionRange, hooks: ArchivingHooks) {
    const { onProgress, onArchived, signal } = hooks;
    onProgress?.({ range, step: 'looking' });
    const incomplete = await incompleteSessions(sessionsIn(range, signal));
    const entry = await files.write(
      range,
      without(incomplete, sessionsIn(range, signal)),
      (events) => onProgress?.({ range, step: 'writing', events }),
    );
    onProgress?.({ range, step: 'verifying' });
    await files.verify(entry);
    onProgress?.({ range, step: 'removing' });
    await archivable.takeOut(entry, () => files.read(entry));
    onArchived?.(entry);
  }

  /** Completes what an interrupted run or a restoring began. */
  async function complete(entry: CatalogedEntry): Promise<void> {
    if (entry.restoredAt === null) {
      if (!entry.isRemoved) await archivable.takeOut(entry, () => files.read(entry));
    } else if (clock.now().getTime() - entry.restoredAt.getTime() > STILL_READ_MS) {
      await files.remove(entry);
      await archivable.forget(entry);
    }
  }

  return {
    async run(before, hooks = {}) {
      const entries = await catalog.entries();
      // A volume that is not mounted or another bucket must not become the archive unnoticed.
      const newest = entries.findLast(
        ({ events, restoredAt }) => events > 0 && restoredAt === null,
      );
      if (newest !== undefined) await files.expectPresent(newest);
      for (const entry of entries) await complete(entry);
      try {
        while (hooks.signal?.aborted !== true) {
          const next = await archivable.nextRange(before);
          if ('reason' in next) return next;
          await archive(next, hooks);
        }
      } catch (error) {
        if (hooks.signal?.aborted !== true) throw error;
      }
      return null;
    },
    verify: (entry) => files.verify(entry),
    async restore(entry) {
      if (entry.restoredAt !== null) return;
      await files.verify(entry);
      await archivable.putBack(entry, () => files.read(entry));
    },
  };
}
