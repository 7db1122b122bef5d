import { Overloaded } from '../../application/ports/faults.ts';
import type { Route } from './route.ts';

export interface AdmissionLimits {
  /** Requests worked on at once (waiting polls do not count) above which new work is refused; at twice this everything but health is. */
  readonly maxInFlight: number;
  /** Event-loop delay, ms, above which new work is refused; at twice this everything but health is. */
  readonly maxEventLoopDelayMs: number;
}

/** Decides at once whether a request may begin. */
export interface Admission {
  /** @throws Overloaded */
  admit(underLoad: Route['underLoad']): void;
  /** The event loop's recent delay, ms. */
  readonly eventLoopDelayMs: number;
  start(): void;
  stop(): void;
}

const TICK_MS = 20;

export function createAdmission(limits: AdmissionLimits, inFlight: () => number): Admission {
  let timer: NodeJS.Timeout | undefined;
  let expected = 0;
  let delayMs = 0;

  function tick() {
    const now = performance.now();
    const late = Math.max(0, now - expected);
    // Rises at once, falls by halves: one long task refuses new work for some ticks, not for one.
    delayMs = late > delayMs ? late : (delayMs + late) / 2;
    expected = now + TICK_MS;
  }

  return {
    admit: (underLoad) => {
      if (underLoad === 'alwaysServe') return;
      const patience = underLoad === 'refuseFirst' ? 1 : 2;
      if (inFlight() >= limits.maxInFlight * patience) throw new Overloaded('requests');
      if (delayMs > limits.maxEventLoopDelayMs * patience) throw new Overloaded('event loop');
    },
    get eventLoopDelayMs() {
      return delayMs;
    },
    start: () => {
      expected = performance.now() + TICK_MS;
      timer = setInterval(tick, TICK_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
