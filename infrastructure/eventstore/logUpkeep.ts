import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import {
  createUpkeep,
  isKeptForLong,
  one,
  type Upkeep,
  type UpkeepOptions,
} from '../postgres/upkeep.ts';

/** Step by which the log in PostgreSQL is partitioned, and kept so ahead of need. */
export type LogUpkeepStep =
  | { readonly step: 'heads'; readonly reached: bigint; readonly of: bigint }
  | { readonly step: 'bounds' | 'waiting' | 'partitioned' | 'partitionAdded' }
  | { readonly step: 'idsDropped'; readonly partition: string };

export interface LogUpkeepOptions extends UpkeepOptions {
  readonly onStep: (step: LogUpkeepStep) => void;
  /** Events taken in at a time; default 2,000, some 50 ms. */
  readonly slice?: number;
}

/** Events that may be left for the last step, which appends wait for. */
const FEW = 4000n;
const REPORT_MS = 10_000;

interface State {
  readonly isPartitioned: boolean;
  readonly head: bigint;
  /** The first partition needs its bounds, or new ones before the log grows past them. */
  readonly needsBounds: boolean;
  readonly isValidated: boolean;
}

const STATE = `
  select p.is_partitioned, h.position as head,
    p.boundary is null or h.position > p.boundary - p.partition_size / 2 as needs_bounds,
    exists (
      select from pg_constraint where conrelid = 'event'::regclass and conname = 'event_within' and convalidated
    ) as is_validated
  from event_partitioning p, event_head h`;

/** Appends that began before a moment: these may not know of `stream_head` yet. */
const BEGUN_BEFORE = `
  select count(*)::int as appends from pg_stat_activity
  where datname = current_database() and state = 'active' and query_start < $1::timestamptz
    and query like '%append_event%' and pid <> pg_backend_pid()`;

const LOG = 'event';

/**
 * Partitions a log stored in one table, in steps that are short or block no other transaction, each permanent once
 * committed; then adds partitions in advance, and drops indexes of ids that are no longer needed. Runs in one process
 * at a time; without it, appends add the partitions they need.
 */
export function createLogUpkeep(options: LogUpkeepOptions): Upkeep {
  const { onStep, slice = 2000 } = options;

  async function keepUp(client: pg.Client, signal: AbortSignal): Promise<void> {
    if (!(await stateOf(client)).isPartitioned) await partition(client, signal);
    const kept = 'select keep_event_partitions() as added';
    if ((await one<{ added: boolean }>(client, kept)).added) onStep({ step: 'partitionAdded' });
    while (!(await isKeptForLong(client, LOG))) {
      const passed = 'select drop_passed_event_ids() as name';
      const { name } = await one<{ name: string | null }>(client, passed);
      if (name === null) return;
      onStep({ step: 'idsDropped', partition: name });
    }
  }

  async function partition(client: pg.Client, signal: AbortSignal): Promise<void> {
    const { now } = await one<{ now: string }>(client, 'select clock_timestamp()::text as now');
    await takeInHeads(client, signal);
    let state = await stateOf(client);
    if (state.needsBounds) {
      await untilFree(client, signal);
      await client.query('select bound_event_log()');
      state = await stateOf(client);
    }
    if (!state.isValidated) {
      onStep({ step: 'bounds' });
      await client.query('alter table event validate constraint event_within');
    }
    while ((await one<{ appends: number }>(client, BEGUN_BEFORE, [now])).appends > 0) {
      await pause(100, undefined, { signal });
    }
    await untilFree(client, signal);
    await takeInHeads(client, signal);
    await client.query('select partition_event_log()');
    onStep({ step: 'partitioned' });
  }

  async function untilFree(client: pg.Client, signal: AbortSignal): Promise<void> {
    let reportedAt = -Infinity;
    while (await isKeptForLong(client, LOG)) {
      if (performance.now() - reportedAt > REPORT_MS) {
        onStep({ step: 'waiting' });
        reportedAt = performance.now();
      }
      await pause(500, undefined, { signal });
    }
  }

  /** Rests as long as it works, which leaves half of the time to others. */
  async function takeInHeads(client: pg.Client, signal: AbortSignal): Promise<void> {
    let reportedAt = -Infinity;
    for (;;) {
      const { head: of } = await stateOf(client);
      const begin = performance.now();
      const fill = 'select fill_stream_heads($1) as reached';
      const reached = BigInt((await one<{ reached: string }>(client, fill, [slice])).reached);
      const isDone = of - reached < FEW;
      if (begin - reportedAt > REPORT_MS || isDone) {
        onStep({ step: 'heads', reached, of });
        reportedAt = begin;
      }
      if (isDone) return;
      await pause(performance.now() - begin, undefined, { signal });
    }
  }

  return createUpkeep('log upkeep', keepUp, options);
}

async function stateOf(client: pg.Client): Promise<State> {
  const row = await one<{
    is_partitioned: boolean;
    head: string;
    needs_bounds: boolean;
    is_validated: boolean;
  }>(client, STATE);
  return {
    isPartitioned: row.is_partitioned,
    head: BigInt(row.head),
    needsBounds: row.needs_bounds,
    isValidated: row.is_validated,
  };
}
