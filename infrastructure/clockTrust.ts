import type { Clock } from '../application/ports/clock.ts';

/** This clock beside a reference. */
export interface ClockComparison {
  /** Milliseconds this clock is ahead. */
  readonly offsetMs: number;
  /** Milliseconds the offset may be wrong by: half the time the answer took. */
  readonly uncertaintyMs: number;
}

export interface ClockTrustOptions {
  readonly clock: Clock;
  /** Name of the reference, in the fault. */
  readonly reference: string;
  /** Age from which a comparison says nothing any more, ms. */
  readonly freshMs: number;
  /** Milliseconds of a clock that nobody sets. Default: that of the process. */
  readonly monotonic?: () => number;
}

/** Trust in the clock of a timestamping unit (EN 319 421 §7.7.2). */
export interface ClockTrust {
  /** Takes in a comparison that was made just now; one too uncertain to judge by is passed over. */
  compared(comparison: ClockComparison): void;
  /** Reason why the clock may be off by more than timestamps state; null: it is not. */
  fault(): string | null;
}

/** Accuracy of the clock that timestamps state, seconds (EN 319 422 §5.2.2). */
export const ACCURACY_SECONDS = 1;

const ACCURACY_MS = ACCURACY_SECONDS * 1000;

/**
 * Judges the clock by its last comparison with a reference and by what it did since beside a clock that nobody sets, so
 * that a change is noticed by the next timestamp, not by the next comparison.
 */
export function createClockTrust(options: ClockTrustOptions): ClockTrust {
  const { clock, reference, freshMs, monotonic = () => performance.now() } = options;
  let last: (ClockComparison & { readonly wall: number; readonly elapsed: number }) | undefined;

  return {
    compared(comparison) {
      if (comparison.uncertaintyMs > ACCURACY_MS / 2) return;
      last = { ...comparison, wall: clock.now().getTime(), elapsed: monotonic() };
    },
    fault() {
      if (last === undefined) return `The clock was not compared with ${reference} yet.`;
      const age = monotonic() - last.elapsed;
      if (age > freshMs) {
        return `The clock was last compared with ${reference} ${Math.round(age / 1000)} s ago.`;
      }
      const offset = last.offsetMs + clock.now().getTime() - last.wall - age;
      if (Math.abs(offset) + last.uncertaintyMs <= ACCURACY_MS) return null;
      return `The clock is ${(Math.abs(offset) / 1000).toFixed(1)} s ${offset < 0 ? 'behind' : 'ahead of'} ${reference}.`;
    },
  };
}
