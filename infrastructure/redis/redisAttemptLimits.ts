import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
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
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(options),
  });
  return {
    async attempt(key) {
      try {
        await limiter.consume(key);
        return 0;
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        return Math.max(1, Math.ceil(cause.msBeforeNext / 1000));
      }
    },
    async takeBack(key) {
      await limiter.reward(key);
    },
    async succeeded(key) {
      await limiter.delete(key);
    },
  };
}
