import { Overloaded } from '../../application/ports/faults.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Exchange, Step } from '../http/exchange.ts';
import { hasBody } from './connections.ts';
import type { AddressLimit, RateLimitState, Route } from '../http/route.ts';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import {
  counted,
  countingAddress,
  countingInto,
  limitDetail,
  networkOf,
} from '../../application/attempts.ts';

export interface AdmissionLimits {
  /**
   * Requests in progress (waiting polls excluded) above which new work is refused; at twice this
   * everything but health is.
   */
  readonly maxInFlight: number;
  /** Event-loop delay, ms, above which new work is refused; at twice this everything but health is. */
  readonly maxEventLoopDelayMs: number;
  /**
   * False: everything but health is refused, so that a balancer that does not ask for readiness tries another process.
   * Default: always true.
   */
  readonly isFit?: () => boolean;
  /**
   * False: the installation was restored from a backup that is not accepted yet; everything is refused but health and
   * routes that say so themselves. Default: always true.
   */
  readonly isOpen?: () => boolean;
  /** True: operators may sign in and accept it, while it is not open. Default: never. */
  readonly isSettled?: () => boolean;
}

/** Refusal of a process that would answer wrongly. */
function unfit(why: string): Refusal {
  return new Refusal('DEPENDENCY_UNAVAILABLE', {
    detail: `${why}; retry after Retry-After seconds.`,
    retryAfterSeconds: 2,
  });
}

/** Admits requests or sheds load. */
export interface Admission {
  /** @throws Overloaded, Refusal DEPENDENCY_UNAVAILABLE */
  admit(route: Pick<Route, 'underLoad' | 'whileClosed'>): void;
  start(): void;
  stop(): void;
}

const TICK_MS = 20;

/**
 * Unread response bytes above which new work is refused; at twice this everything but health is.
 */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/** Resources currently held for callers. */
export interface Held {
  readonly inFlight: () => number;
  readonly unreadBytes: () => number;
}

export function createAdmission(
  limits: AdmissionLimits,
  { inFlight, unreadBytes }: Held,
): Admission {
  let timer: NodeJS.Timeout | undefined;
  let expected = 0;
  let delayMs = 0;

  const mayPass = (whileClosed: Route['whileClosed']) =>
    whileClosed === 'serve' ||
    (whileClosed === 'serveOnceSettled' && limits.isSettled?.() === true) ||
    limits.isOpen?.() !== false;

  function tick() {
    const now = performance.now();
    const late = Math.max(0, now - expected);
    // Rises at once, decays by halves: after one long task new work is refused for several ticks.
    delayMs = late > delayMs ? late : (delayMs + late) / 2;
    expected = now + TICK_MS;
  }

  return {
    admit: ({ underLoad, whileClosed }) => {
      if (underLoad === 'alwaysServe') return;
      if (limits.isFit?.() === false) throw unfit('The clock of this process is wrong');
      if (!mayPass(whileClosed)) {
        throw unfit('The service was restored from a backup that is not accepted yet');
      }
      const factor = underLoad === 'refuseFirst' ? 1 : 2;
      if (inFlight() >= limits.maxInFlight * factor) throw new Overloaded('requests');
      if (unreadBytes() >= MAX_UNREAD_BYTES * factor) throw new Overloaded('unread answers');
      if (delayMs > limits.maxEventLoopDelayMs * factor) throw new Overloaded('event loop');
    },
    start: () => {
      expected = performance.now() + TICK_MS;
      timer = setInterval(tick, TICK_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** Parts of a route that its admission depends on. */
type Admitted = Pick<Route, 'underLoad' | 'whileClosed'>;

/** Step that sheds load; a request without a body is work from here on. */
export function admit(admission: Admission, route: Admitted): Step {
  return (request, { locals: { exchange } }, next) => {
    admitOrShed(admission, route, exchange);
    if (!hasBody(request)) exchange.begin();
    next();
  };
}

/**
 * Step that admits a request with a body once more, since it is work from here on: the body is there, or the guard
 * comes first.
 */
export function admitWork(admission: Admission, route: Admitted): Step {
  return (request, { locals: { exchange } }, next) => {
    if (hasBody(request)) {
      admitOrShed(admission, route, exchange);
      exchange.begin();
    }
    next();
  };
}

function admitOrShed(admission: Admission, route: Admitted, { host }: Exchange): void {
  try {
    admission.admit(route);
  } catch (error) {
    host.metrics.loadShed();
    throw error;
  }
}

export interface RateLimitOptions {
  /** Prefix of the keys in Redis. */
  readonly name: string;
  /** Setting of the limit, named by its refusals; default: it is fixed. */
  readonly setting?: string | null;
  /** Words that say in refusals whose requests it counts; default: none. */
  readonly of?: string;
  /**
   * A connected Redis client, to share the counts between processes; null: counts in this process.
   */
  readonly redis: unknown;
}

/** Rate limit exceeded. */
export class RateLimited extends Refusal {
  readonly state: RateLimitState;

  constructor(
    perMinute: number,
    resetsInMs: number,
    { setting = null, of }: Pick<RateLimitOptions, 'setting' | 'of'>,
  ) {
    const whose = of === undefined ? '' : ` ${of}`;
    const what = `More than ${perMinute} requests${whose} a minute.`;
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
export function createRateLimit(limited: RateLimitOptions): RateLimit {
  const { name, redis } = limited;
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
        throw new RateLimited(perMinute, cause.msBeforeNext, limited);
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

/** Step that gives what the request counts against limits back when it fails on our side. */
export const countAttempts: Step = (_request, { locals: { exchange } }, next) => {
  countingInto(exchange.counted, next);
};

/** Step that counts the request of an address; every response carries the limit's state. */
export function countAddress(limit: AddressLimit): Step {
  return async (_request, { locals: { exchange } }, next) => {
    try {
      const state = await countingAddress(() => limit.consume(exchange.ip));
      exchange.limitHeaders = limitHeaders(state);
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
