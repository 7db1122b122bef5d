import { pause } from '../ports/follow.ts';
import type { LeaderLock } from '../ports/leaderLock.ts';
import { type Reactor, type ReactorStatus, whileHolding } from './reactor.ts';

export interface SweepDependencies {
  readonly leaderLock: LeaderLock;
  /** A sweep failed and the next one tries again; called once until one succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
  /** Milliseconds between sweeps. */
  readonly everyMs: number;
}

/** Items of a read model in pages; each page follows the last item of the previous one. */
export interface Pages<Item> {
  page(limit: number, after: Item | null): Promise<readonly Item[]>;
  /** Processes an item; the same item may come again. */
  each(item: Item): Promise<void>;
}

const pageSize = 200;

/**
 * Sweeps a read model periodically, in one process at a time, and at the start: for items that time alone makes due.
 */
export function createSweep<Item>(
  name: string,
  { page, each }: Pages<Item>,
  { leaderLock, onFailure, everyMs }: SweepDependencies,
): Reactor {
  let state: ReactorStatus['state'] = 'STANDBY';

  async function sweep(signal: AbortSignal): Promise<void> {
    let last: Item | null = null;
    const failures: unknown[] = [];
    while (!signal.aborted) {
      const items: readonly Item[] = await page(pageSize, last);
      const results = await Promise.allSettled(items.map(each));
      // An item that always fails must not block those behind it.
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) failures.push(failed.reason);
      last = items.at(-1) ?? null;
      if (items.length < pageSize) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  async function run(signal: AbortSignal): Promise<void> {
    state = 'RUNNING';
    while (!signal.aborted) {
      try {
        await sweep(signal);
        state = 'RUNNING';
      } catch (error) {
        if (state === 'RUNNING') onFailure(name, error);
        state = 'RETRYING';
      }
      await pause(everyMs, signal);
    }
    state = 'STANDBY';
  }

  return {
    ...whileHolding(leaderLock, name, run),
    status: () => ({ name, state, position: null }),
  };
}
