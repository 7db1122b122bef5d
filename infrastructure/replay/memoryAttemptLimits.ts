import { LRUCache } from 'lru-cache';
import { atMost } from '../system.ts';
import type { AttemptLimits } from '../../application/ports/attemptLimits.ts';

export interface AttemptLimitsOptions {
  /** Attempts for one key within the window; default 5. */
  readonly attempts?: number;
  /** From the first attempt, ms; default 15 minutes. */
  readonly windowMs?: number;
  /** Keys tracked at most; default 100,000. Beyond it the least recently used is dropped. */
  readonly capacity?: number;
  readonly now?: () => number;
}

/** Counts attempts in this process. */
export function createMemoryAttemptLimits({
  attempts = 5,
  windowMs = 15 * 60_000,
  capacity = 100_000,
  now = Date.now,
}: AttemptLimitsOptions = {}): AttemptLimits {
  const counted = new LRUCache<string, { readonly count: number; readonly until: number }>(
    atMost(capacity),
  );
  return {
    attempt(key, keptFree = 0, places = 1) {
      const time = now();
      const known = counted.get(key);
      const current =
        known === undefined || known.until <= time ? { count: 0, until: time + windowMs } : known;
      if (current.count + places > attempts - keptFree)
        return Math.ceil((current.until - time) / 1000);
      counted.set(key, { ...current, count: current.count + places });
      return 0;
    },
    wait(key) {
      const time = now();
      const known = counted.get(key);
      const isUsedUp = known !== undefined && known.until > time && known.count >= attempts;
      return isUsedUp ? Math.ceil((known.until - time) / 1000) : 0;
    },
    takeBack(key, places = 1) {
      const known = counted.get(key);
      if (known === undefined) return;
      counted.set(key, { ...known, count: Math.max(0, known.count - places) });
    },
    succeeded(key) {
      counted.delete(key);
    },
  };
}
