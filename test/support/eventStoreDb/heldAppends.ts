import type { StoredLog } from './storedLog.ts';

/** End of an append that waited for the other nodes: replicated, or given up by the leader. */
export type Settlement = 'replicated' | 'canceled';

/**
 * The gap between writing and committing, kept open by a test: events stand in the leader's log, nobody reads them and
 * their appends are not answered.
 */
export function createHeldAppends(log: StoredLog) {
  let from: { readonly count: number; readonly position: bigint } | null = null;
  const waiting: ((settlement: Settlement) => void)[] = [];

  function settle(settlement: Settlement): void {
    for (const resolve of waiting.splice(0)) resolve(settlement);
  }

  return {
    get isHolding() {
      return from !== null;
    },
    get count() {
      return waiting.length;
    },
    /** Records that are committed. */
    committed: () => from?.count ?? log.length,
    isHeld: (position: bigint | null) =>
      from !== null && position !== null && position >= from.position,
    hold() {
      from ??= { count: log.length, position: log.end };
    },
    settled(): Promise<Settlement> {
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    release() {
      from = null;
      settle('replicated');
    },
    /** The leader gives up; what was written stays uncommitted. */
    cancel() {
      settle('canceled');
    },
    /** Another leader has not got what was written, or has. */
    end(isKept: boolean) {
      settle('canceled');
      if (from !== null && !isKept) log.truncate(from.position);
      from = null;
    },
  };
}
