import type pg from 'pg';
import { createUpkeep, isKeptForLong, one, type Upkeep, type UpkeepOptions } from './upkeep.ts';

/** Step by which the partitions of sessions and audit are kept. */
export type ViewUpkeepStep = { readonly view: string } & (
  { readonly step: 'partitionsAdded' } | { readonly step: 'monthDropped'; readonly month: string }
);

export interface ViewUpkeepOptions extends UpkeepOptions {
  readonly views: readonly string[];
  readonly onStep: (step: ViewUpkeepStep) => void;
}

/** Longest that a step keeps readers and the projector waiting, ms. */
const LOCK_TIMEOUT_MS = 500;

const KEEP = 'select keep_view_partitions($1, null) as added';
const FOLD = 'select fold_session_partition($1) as month';

/** Adds partitions of sessions and audit before they are needed, and drops months that the archive has left few sessions of. */
export function createViewUpkeep(options: ViewUpkeepOptions): Upkeep {
  const { views, onStep } = options;

  async function keepUp(client: pg.Client): Promise<void> {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    for (const view of views) {
      if (await isKeptForLong(client, view)) continue;
      const { added } = await one<{ added: number }>(client, KEEP, [view]);
      if (added > 0) onStep({ step: 'partitionsAdded', view });
      while (!(await isKeptForLong(client, view))) {
        const { month } = await one<{ month: string | null }>(client, FOLD, [view]);
        if (month === null) break;
        onStep({ step: 'monthDropped', view, month });
      }
    }
  }

  return createUpkeep('view upkeep', keepUp, options);
}
