import type { RegisterUploads } from '../approval/ports/registerUploads.ts';
import type { Clock } from '../ports/clock.ts';
import type { Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface UploadRemovalOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly uploads: Pick<RegisterUploads, 'removeBefore'>;
  readonly clock: Clock;
  /** Age from which nobody may decide on the import of a file any more, ms. */
  readonly keptMs: number;
  /** Milliseconds between looks; default one minute. */
  readonly everyMs?: number;
}

/** Removes files of registers that nobody imported in time. */
export function createUploadRemoval({
  uploads,
  clock,
  keptMs,
  everyMs = 60_000,
  ...sweeping
}: UploadRemovalOptions): Reactor {
  const pages = {
    page: (_limit: number, after: Date | null) =>
      Promise.resolve(after === null ? [new Date(clock.now().getTime() - keptMs)] : []),
    each: (moment: Date) => uploads.removeBefore(moment),
  };
  return createSweep('removeOldUploads', pages, { ...sweeping, everyMs });
}
