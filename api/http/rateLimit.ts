import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { Refusal } from '../../domain/shared/refusal.ts';

export interface RateLimitOptions {
  /** Part of the keys in Redis. */
  readonly name: string;
  /** A connected Redis client to share the counts between processes; null: counted in this process. */
  readonly redis: unknown;
}

/** Counts requests per key and minute. */
export interface RateLimit {
  /** @throws Refusal RATE_LIMITED with the seconds to wait */
  consume(key: string, perMinute: number): Promise<void>;
}

/** Counting goes on in memory while Redis is away: a limit is no reason to refuse everybody. */
export function createRateLimit({ name, redis }: RateLimitOptions): RateLimit {
  const limiters = new Map<number, RateLimiterAbstract>();

  function limiterFor(perMinute: number): RateLimiterAbstract {
    let limiter = limiters.get(perMinute);
    if (limiter === undefined) {
      const options = { points: perMinute, duration: 60, keyPrefix: name };
      const memory = new RateLimiterMemory(options);
      limiter =
        redis === null
          ? memory
          : new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory });
      limiters.set(perMinute, limiter);
    }
    return limiter;
  }

  return {
    consume: async (key, perMinute) => {
      try {
        await limiterFor(perMinute).consume(key);
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        throw new Refusal('RATE_LIMITED', {
          detail: `More than ${perMinute} requests a minute.`,
          retryAfterSeconds: Math.max(1, Math.ceil(cause.msBeforeNext / 1000)),
        });
      }
    },
  };
}
