import { type DocumentFileDependencies, removeIfUnused } from '../document/documentFiles.ts';
import type { UnsettledFile } from '../document/ports/unsettledFiles.ts';
import type { Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface FileRemovalOptions
  extends
    Omit<SweepDependencies, 'everyMs'>,
    Pick<DocumentFileDependencies, 'documents' | 'store' | 'unsettled' | 'clock'> {
  /** Milliseconds between sweeps; default one minute. */
  readonly everyMs?: number;
  /** Delay after a file's registration before its document is checked, ms; default an hour. */
  readonly afterMs?: number;
}

/** Removes files whose upload did not come to its end, and those another took the place of. */
export function createFileRemoval(options: FileRemovalOptions): Reactor {
  const { unsettled, clock, everyMs = 60_000, afterMs = 3_600_000 } = options;
  const due = () => new Date(clock.now().getTime() - afterMs);
  const page = (limit: number, after: UnsettledFile | null) =>
    unsettled.notedBefore(due(), limit, after);
  const each = (file: UnsettledFile) => removeIfUnused(options, file, due());
  return createSweep('removeUnusedFiles', { page, each }, { ...options, everyMs });
}
