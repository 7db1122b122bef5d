import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isLockRefused } from '../../application/ports/faults.ts';
import { inTransaction } from './pool.ts';

/** Longest that the swap keeps appends and readers waiting, ms. */
const LOCK_TIMEOUT_MS = 200;
const RETRY_MS = 500;
/** Time until the swap is left to the next run, ms: a backup may take hours. */
const PATIENCE_MS = 300_000;

/** Transactions that keep the log's tables for long. */
const KEPT = `select is_kept_for_long('event')::int as readers`;
/** Snapshots from before the copy was committed: they would see neither the partition nor the copy's rows. */
const OLDER_SNAPSHOTS = (copy: string) => `
  select count(*)::int as readers from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and age(backend_xmin) >= coalesce((select age(xmin) from ${copy} limit 1), 2147483647)`;

/**
 * Releases the disk space of a partition, most of whose events were deleted, by replacing it with a copy of the rest.
 * Blocks others only briefly: waits until no transaction holds the log's tables for more than a second, or a snapshot
 * from before the copy.
 *
 * @returns false when it gave up; the copy stays for the next attempt
 */
export async function shrinkPartition(pool: pg.Pool, partition: string): Promise<boolean> {
  const copy = `${partition}_copy`;
  const { rows } = await pool.query<{ found: boolean }>(
    'select to_regclass($1) is not null as found',
    [copy],
  );
  if (rows[0]?.found !== true) await pool.query('select copy_event_partition($1)', [partition]);
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    if ((await isFree(pool, copy)) && (await swap(pool, partition))) return true;
    await pause(RETRY_MS);
  }
  return false;
}

async function isFree(pool: pg.Pool, copy: string): Promise<boolean> {
  for (const question of [KEPT, OLDER_SNAPSHOTS(copy)]) {
    const { rows } = await pool.query<{ readers: number }>(question);
    if ((rows[0]?.readers ?? 0) > 0) return false;
  }
  return true;
}

/** @returns false when a lock was not to be had at once */
async function swap(pool: pg.Pool, partition: string): Promise<boolean> {
  try {
    await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query('select swap_event_partition($1)', [partition]);
    });
    return true;
  } catch (error) {
    if (isLockRefused(error)) return false;
    throw error;
  }
}
