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
  async function consume(
    key: string,
    places: number,
  ): Promise<readonly [RateLimiterAbstract, RateLimiterRes]> {
    try {
      return [shared, await countIn(shared, key, places)];
    } catch {
      // Redis may count a command yet that got no answer in time.
      void reward(shared, key, places).catch(() => undefined);
      return [own, await countIn(own, key, places)];
    }
  }

  return {
    async attempt(key, keptFree = 0, places = 1) {
      const [limiter, count] = await consume(key, places);
      if (count.consumedPoints <= attempts - keptFree) return 0;
      await reward(limiter, key, places).catch(() => undefined);
      return secondsOf(count);
    },
    async wait(key) {
      const counts = await Promise.all([own.get(key), shared.get(key).catch(() => null)]);
      const usedUp = counts.filter((count) => count !== null && count.consumedPoints >= attempts);
      return Math.max(0, ...usedUp.map((count) => (count === null ? 0 : secondsOf(count))));
    },
    async takeBack(key, places = 1) {
      // A count of an outage is in this process, even when Redis is back.
      const countedHere = (await own.get(key))?.consumedPoints ?? 0;
      await reward(countedHere > 0 ? own : shared, key, places);
    },
    async succeeded(key) {
      // A count that Redis keeps because it is away ends with its window.
      await Promise.all([own.delete(key), shared.delete(key).catch(() => false)]);
    },
  };
}

/** The count, also one beyond the limit. */
async function countIn(
  limiter: RateLimiterAbstract,
  key: string,
  places: number,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, places);
  } catch (cause) {
    if (cause instanceof RateLimiterRes) return cause;
    throw cause;
  }
}

/** A count whose window is over is gone already: no credit is left for the next. */
async function reward(limiter: RateLimiterAbstract, key: string, places: number): Promise<void> {
  const { consumedPoints } = await limiter.reward(key, places);
  if (consumedPoints < 0) await limiter.penalty(key, -consumedPoints);
}

function secondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
