import { Overloaded } from '../../application/ports/faults.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Exchange, type Step } from '../http/exchange.ts';
import { hasBody } from './connections.ts';
import type { Route } from '../http/route.ts';

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
      if (whileClosed !== 'serve' && limits.isOpen?.() === false) {
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
