import { Overloaded } from '../../application/ports/faults.ts';
import type { ReplayStore } from '../../api/device/ports/replayStore.ts';

/** About 100 bytes each: at a minute's window, 15,000 calls a second. */
const DEFAULT_CAPACITY = 1_000_000;

/**
 * Records uses in this process, in one bucket per second of expiry: a repeated use has the same expiry, so one bucket
 * is searched, and expired buckets are dropped whole.
 */
export function createMemoryReplayStore({
  now = Date.now,
  capacity = DEFAULT_CAPACITY,
}: { readonly now?: () => number; readonly capacity?: number } = {}): ReplayStore {
  const drawers = new Map<number, Set<string>>();
  let kept = 0;
  let emptiedAt = 0;

  function emptyOldDrawers(second: number): void {
    if (second === emptiedAt) return;
    emptiedAt = second;
    for (const [expires, drawer] of drawers) {
      if (expires >= second) continue;
      kept -= drawer.size;
      drawers.delete(expires);
    }
  }

  return {
    firstUse(key, usableUntil) {
      emptyOldDrawers(Math.floor(now() / 1000));
      const expires = Math.ceil(usableUntil.getTime() / 1000);
      let drawer = drawers.get(expires);
      if (drawer === undefined) drawers.set(expires, (drawer = new Set()));
      if (drawer.has(key)) return false;
      if (kept >= capacity) throw new Overloaded('device proofs');
      drawer.add(key);
      kept += 1;
      return true;
    },
  };
}
