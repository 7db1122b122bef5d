import type pg from 'pg';
import { createUpkeep, isKeptForLong, one, type Upkeep, type UpkeepOptions } from './upkeep.ts';

/** Step by which the tables of sessions and audit are partitioned, and kept so ahead of need. */
export type ViewUpkeepStep = { readonly view: string } & (
  | { readonly step: 'copied'; readonly rows: number; readonly of: number }
  | { readonly step: 'waiting' | 'partitioned' | 'partitionsAdded' }
  | { readonly step: 'monthDropped'; readonly month: string }
);

/** Partitions a table with rows while it is in use; resumes after an interruption. */
export type PartitionView = (
  view: string,
  signal: AbortSignal,
  on: {
    readonly copied: (rows: number) => void;
    /** Called while a transaction keeps the table. */
    readonly waiting: () => void;
  },
) => Promise<void>;

export interface ViewUpkeepOptions extends UpkeepOptions {
  readonly views: readonly string[];
  readonly partition: PartitionView;
  readonly onStep: (step: ViewUpkeepStep) => void;
}

/** Longest that a step keeps readers and the projector waiting, ms. */
const LOCK_TIMEOUT_MS = 500;
const REPORT_MS = 10_000;

const VIEW = `
  select relkind = 'p' as is_partitioned, reltuples::float8 as rows from pg_class where oid = $1::regclass`;

const KEEP = 'select keep_view_partitions($1, null) as added';
const FOLD = 'select fold_session_partition($1) as month';

/**
 * Partitions the tables of sessions and audit that were stored in one; then adds partitions before they are needed, and
 * drops months that the archive has left few sessions of.
 */
export function createViewUpkeep(options: ViewUpkeepOptions): Upkeep {
  const { views, onStep } = options;

  async function keepUp(client: pg.Client, signal: AbortSignal): Promise<void> {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    for (const view of views) {
      await partition(client, view, signal);
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

  async function partition(client: pg.Client, view: string, signal: AbortSignal): Promise<void> {
    type Found = { readonly is_partitioned: boolean; readonly rows: number };
    const { is_partitioned: isPartitioned, rows: of } = await one<Found>(client, VIEW, [view]);
    if (isPartitioned) return;
    let reported: { readonly step: string; readonly at: number } | undefined;
    const report = (step: ViewUpkeepStep) => {
      const at = performance.now();
      if (reported?.step === step.step && at - reported.at < REPORT_MS) return;
      reported = { step: step.step, at };
      onStep(step);
    };
    await options.partition(view, signal, {
      copied: (rows) => report({ step: 'copied', view, rows, of: Math.max(of, rows) }),
      waiting: () => report({ step: 'waiting', view }),
    });
    onStep({ step: 'partitioned', view });
  }

  return createUpkeep('view upkeep', keepUp, options);
}
