import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { AttemptLimits } from '../../application/ports/attemptLimits.ts';

export interface RedisAttemptLimitsOptions {
  readonly redis: Redis;
  /** Attempts for one key within the window; default 5. */
  readonly attempts?: number;
  /** From the first attempt, ms; default 15 minutes. */
  readonly windowMs?: number;
}

/** Counts attempts over all processes; during an outage of Redis each counts its own. */
export function createRedisAttemptLimits({
  redis,
  attempts = 5,
  windowMs = 15 * 60_000,
}: RedisAttemptLimitsOptions): AttemptLimits {
  const options = { points: attempts, duration: windowMs / 1000, keyPrefix: 'tamga:attempts' };
  const shared = new RateLimiterRedis({ ...options, storeClient: redis });
  const own = new RateLimiterMemory(options);

  /** The limiter that counted, and its count. */
  async function consume(key: string): Promise<readonly [RateLimiterAbstract, RateLimiterRes]> {
    try {
      return [shared, await shared.consume(key)];
    } catch (cause) {
      if (cause instanceof RateLimiterRes) throw cause;
      // Redis may count a command yet that got no answer in time.
      void reward(shared, key).catch(() => undefined);
      return [own, await own.consume(key)];
    }
  }

  return {
    async attempt(key, keptFree = 0) {
      try {
        const [limiter, count] = await consume(key);
        if (count.consumedPoints <= attempts - keptFree) return 0;
        await reward(limiter, key);
        return secondsOf(count);
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        return secondsOf(cause);
      }
    },
    async wait(key) {
      const counts = await Promise.all([own.get(key), shared.get(key).catch(() => null)]);
      const usedUp = counts.filter((count) => count !== null && count.consumedPoints >= attempts);
      return Math.max(0, ...usedUp.map((count) => (count === null ? 0 : secondsOf(count))));
    },
    async takeBack(key) {
      // A count of an outage is in this process, even when Redis is back.
      const countedHere = (await own.get(key))?.consumedPoints ?? 0;
      await reward(countedHere > 0 ? own : shared, key);
    },
    async succeeded(key) {
      await Promise.all([own.delete(key), shared.delete(key)]);
    },
  };
}

/** A count whose window is over is gone already: no credit is left for the next. */
async function reward(limiter: RateLimiterAbstract, key: string): Promise<void> {
  const { consumedPoints } = await limiter.reward(key);
  if (consumedPoints < 0) await limiter.penalty(key);
}

function secondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
