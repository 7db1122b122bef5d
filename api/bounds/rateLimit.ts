import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { counted, limitDetail, networkOf } from '../../application/attempts.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Step } from '../http/exchange.ts';
import type { AddressLimit, RateLimitState } from '../http/route.ts';

export interface RateLimitOptions {
  /** Prefix of the keys in Redis. */
  readonly name: string;
  /** Setting of the limit, named by its refusals; default: it is fixed. */
  readonly setting?: string | null;
  /**
   * A connected Redis client, to share the counts between processes; null: counts in this process.
   */
  readonly redis: unknown;
}

/** Rate limit exceeded. */
export class RateLimited extends Refusal {
  readonly state: RateLimitState;

  constructor(perMinute: number, resetsInMs: number, setting: string | null) {
    const what = `More than ${perMinute} requests a minute.`;
    super('RATE_LIMITED', {
      detail: limitDetail({ what, setting }, new Date(Date.now() + resetsInMs)),
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

interface Limiters {
  /** Counts of all processes; null without Redis. */
  readonly shared: RateLimiterAbstract | null;
  /** Counts of this process. */
  readonly own: RateLimiterAbstract;
}

/** Counts in memory during an outage of Redis: the limit must not become a total outage. */
export function createRateLimit({ name, setting = null, redis }: RateLimitOptions): RateLimit {
  const limiters = new Map<number, Limiters>();

  function limitersFor(perMinute: number): Limiters {
    let found = limiters.get(perMinute);
    if (found === undefined) {
      const options = { points: perMinute, duration: 60, keyPrefix: name };
      const shared =
        redis === null ? null : new RateLimiterRedis({ ...options, storeClient: redis });
      found = { shared, own: new RateLimiterMemory(options) };
      limiters.set(perMinute, found);
    }
    return found;
  }

  return {
    consume: async (key, perMinute) => {
      try {
        const [limiter, { remainingPoints, msBeforeNext }] = await consume(
          limitersFor(perMinute),
          key,
        );
        const until = Date.now() + msBeforeNext;
        counted(() => (Date.now() < until ? limiter.reward(key) : undefined));
        return { perMinute, remaining: remainingPoints, resetsInMs: msBeforeNext };
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        throw new RateLimited(perMinute, cause.msBeforeNext, setting);
      }
    },
  };
}

/** Counts a request. @returns the limiter that counted it, and its count */
async function consume(
  { shared, own }: Limiters,
  key: string,
): Promise<readonly [RateLimiterAbstract, RateLimiterRes]> {
  if (shared !== null) {
    try {
      return [shared, await shared.consume(key)];
    } catch (cause) {
      if (cause instanceof RateLimiterRes) throw cause;
      // Redis may count a command yet that got no answer in time.
      void shared.reward(key).catch(() => undefined);
    }
  }
  return [own, await own.consume(key)];
}

/** Step that counts the request of an address; every response carries the limit's state. */
export function countAddress(limit: AddressLimit): Step {
  return async (_request, { locals: { exchange } }, next) => {
    try {
      exchange.limitHeaders = limitHeaders(await limit.consume(exchange.ip));
    } catch (error) {
      if (error instanceof RateLimited) exchange.limitHeaders = limitHeaders(error.state);
      throw error;
    }
    next();
  };
}

/** Rate-limit headers: alternating names and values; `reset` is in seconds since 1970. */
function limitHeaders(state: RateLimitState): readonly (string | number)[] {
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
