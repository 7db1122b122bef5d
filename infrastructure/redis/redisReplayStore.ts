import type { Redis } from 'ioredis';
import type { ReplayStore } from '../../api/device/ports/replayStore.ts';

export interface RedisReplayStoreOptions {
  readonly redis: Redis;
  /** Uses seen by this process: the fallback during an outage of Redis. */
  readonly ownUses: ReplayStore;
  readonly now?: () => number;
}

/**
 * Records uses for all processes. During an outage of Redis uses at other processes are unknown: aggregates refuse or
 * ignore repeated commands themselves, so phones are still served.
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
