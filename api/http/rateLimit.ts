import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { networkOf } from '../../application/audit/anonymousRefusals.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

export interface RateLimitOptions {
  /** Prefix of the keys in Redis. */
  readonly name: string;
  /**
   * A connected Redis client, to share the counts between processes; null: counts in this process.
   */
  readonly redis: unknown;
}

/** State of a limit. */
export interface RateLimitState {
  readonly perMinute: number;
  readonly remaining: number;
  /** Time until the window ends, ms. */
  readonly resetsInMs: number;
}

/** Rate limit exceeded. */
export class RateLimited extends Refusal {
  readonly state: RateLimitState;

  constructor(perMinute: number, resetsInMs: number) {
    super('RATE_LIMITED', {
      detail: `More than ${perMinute} requests a minute.`,
      retryAfterSeconds: Math.max(1, Math.ceil(resetsInMs / 1000)),
    });
    this.state = { perMinute, remaining: 0, resetsInMs };
  }
}

/** Fixed-window rate limit per key and minute. */
export interface RateLimit {
  /** @throws RateLimited, with the seconds to wait */
  consume(key: string, perMinute: number): Promise<RateLimitState>;
}

/** Rate limit per address; responses carry its state in `X-RateLimit-*`. */
export interface AddressLimit {
  /** Counts a request. @throws RateLimited */
  consume(ip: string): Promise<RateLimitState>;
}

/** Counts in memory during an outage of Redis: the limit must not become a total outage. */
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
        const { remainingPoints, msBeforeNext } = await limiterFor(perMinute).consume(key);
        return { perMinute, remaining: remainingPoints, resetsInMs: msBeforeNext };
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        throw new RateLimited(perMinute, cause.msBeforeNext);
      }
    },
  };
}

/** Rate-limit headers: alternating names and values; `reset` is in seconds since 1970. */
export function limitHeaders(state: RateLimitState): readonly (string | number)[] {
  const { perMinute, remaining, resetsInMs } = state;
  const reset = Math.ceil((Date.now() + resetsInMs) / 1000);
  return [
    ...['x-ratelimit-limit', perMinute],
    ...['x-ratelimit-remaining', remaining, 'x-ratelimit-reset', reset],
  ];
}

/**
 * Rate limit per address; an IPv6 network (/64) belongs to one customer and counts as one address.
 */
export function createAddressLimit(options: RateLimitOptions, perMinute: number): AddressLimit {
  const limit = createRateLimit(options);
  return { consume: (ip) => limit.consume(networkOf(ip), perMinute) };
}
