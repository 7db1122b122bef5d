import type { LeaderLock } from '../../../application/ports/leaderLock.ts';
import type { Staleness } from '../../../application/ports/staleness.ts';
import type { ClearableCache } from '../../../application/followAggregate.ts';
import type { Loaded } from '../../../application/handleCommand.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { createAggregateCache } from '../../../infrastructure/system.ts';

/** A clock turned by hand. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** @param start the moment at which it stands; null: it goes, with the machine's until it is turned */
export function manualClock(start: string | null = '2026-06-01T00:00:00.000Z'): ManualClock {
  const began = start === null ? null : Date.parse(start);
  let turned = 0;
  return {
    now: () => new Date((began ?? Date.now()) + turned),
    advance: (ms) => {
      turned += ms;
    },
  };
}

export function memoryAggregateCache<State>(): ClearableCache<State> {
  return createAggregateCache<Loaded<State>>(1000);
}

/** Read models that keep up with the log. */
export const neverStale: Staleness = {
  isStale: () => false,
  parked: () => new Set(),
  covers: () => true,
  reached: () => null,
  onLook: () => () => undefined,
};

/** Everybody is active: for processes that do not know yet that they lost the lock. */
export const everybodyActive: LeaderLock = {
  runWhileHolding(_name, activity) {
    const ending = new AbortController();
    const done = activity(ending.signal);
    return {
      isActive: () => !ending.signal.aborted,
      stop: async () => {
        ending.abort();
        await done;
      },
    };
  },
};
