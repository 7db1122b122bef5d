import type { Redis } from 'ioredis';
import type { ReplayStore } from '../../application/ports/replayStore.ts';

export interface RedisReplayStoreOptions {
  readonly redis: Redis;
  /** What this process saw itself: all there is to go by while Redis is away. */
  readonly ownUses: ReplayStore;
  readonly now?: () => number;
}

/**
 * Remembers uses for all processes. While Redis is away a use at another process is not known: what a replay could
 * repeat is refused or without effect by the aggregates themselves, so that is no reason to turn every phone away.
 */
export function createRedisReplayStore({
  redis,
  ownUses,
  now = Date.now,
}: RedisReplayStoreOptions): ReplayStore {
  return {
    async firstUse(key, usableUntil) {
      if (!(await ownUses.firstUse(key, usableUntil))) return false;
      const remembered = Math.max(1, usableUntil.getTime() - now());
      try {
        return (await redis.set(`tamga:used:${key}`, '', 'PX', remembered, 'NX')) === 'OK';
      } catch {
        return true;
      }
    },
  };
}
