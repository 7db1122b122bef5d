import type pg from 'pg';
import {
  createUpkeep,
  isKeptForLong,
  one,
  type Upkeep,
  type UpkeepOptions,
} from '../postgres/upkeep.ts';

/** Step by which the partitions of the log in PostgreSQL are kept ahead of need. */
export type LogUpkeepStep =
  { readonly step: 'partitionAdded' } | { readonly step: 'idsDropped'; readonly partition: string };

export interface LogUpkeepOptions extends UpkeepOptions {
  readonly onStep: (step: LogUpkeepStep) => void;
}

/**
 * Adds partitions of the log in advance, and drops indexes of ids that are no longer needed. Runs in one process at a
 * time; without it, appends add the partitions they need.
 */
export function createLogUpkeep(options: LogUpkeepOptions): Upkeep {
  const { onStep } = options;

  async function keepUp(client: pg.Client): Promise<void> {
    const kept = 'select keep_event_partitions() as added';
    if ((await one<{ added: boolean }>(client, kept)).added) onStep({ step: 'partitionAdded' });
    while (!(await isKeptForLong(client, 'event'))) {
      const passed = 'select drop_passed_event_ids() as name';
      const { name } = await one<{ name: string | null }>(client, passed);
      if (name === null) return;
      onStep({ step: 'idsDropped', partition: name });
    }
  }

  return createUpkeep('log upkeep', keepUp, options);
}
