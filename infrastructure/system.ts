import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../application/ports/clock.ts';
import type { Randomness } from '../application/ports/randomness.ts';
import type { AttemptLimits } from '../application/ports/attemptLimits.ts';
import { Overloaded, Unavailable } from '../application/ports/faults.ts';
import type { ReplayStore } from '../api/device/ports/replayStore.ts';

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that gives no time while it is wrong. @returns whose `now` throws Unavailable(clock) then */
export const whileRight = (clock: Clock, isRight: () => boolean): Clock => ({
  now() {
    if (!isRight()) throw new Unavailable('clock');
    return clock.now();
  },
});

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The machine's cryptographic random generator. */
export const systemRandomness: Randomness = {
  uuid: () => randomUUID(),
  timeOrderedUuid: () => {
    const milliseconds = Date.now().toString(16).padStart(12, '0');
    return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${randomUUID().slice(15)}`;
  },
  bytes: (count) => randomBytes(count),
  alphanumeric: (length) =>
    Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join(''),
};

/** Recently used aggregates by stream name; satisfies `AggregateCache`. */
export function createAggregateCache<Loaded extends object>(max: number) {
  const cache = new LRUCache<string, Loaded>(atMost(max));
  /** Reads and appends in progress, by stream. */
  const begun = new Map<string, number>();
  const count = (stream: string, difference: number) => {
    const left = (begun.get(stream) ?? 0) + difference;
    if (left > 0) begun.set(stream, left);
    else begun.delete(stream);
  };
  return {
    get: (stream: string) => cache.get(stream),
    set: (stream: string, loaded: Loaded) => void cache.set(stream, loaded),
    delete: (stream: string) => void cache.delete(stream),
    clear: () => cache.clear(),
    concerns: (stream: string) => cache.has(stream) || begun.has(stream),
    begin: (stream: string) => {
      count(stream, 1);
      return () => count(stream, -1);
    },
  };
}

/**
 * Options of an LRU cache with at most this many entries. With `max`, the library allocates memory for all of them at
 * once: for the caches of a service, a third of the processor time of its start.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

/**
 * A memory by key, the least recently used is dropped.
 *
 * @param ttlMs lifetime of an entry, milliseconds; absent: unlimited
 */
export function createMemory<Value extends object | string>(
  ttlMs?: number,
): LRUCache<string, Value> {
  return new LRUCache(
    ttlMs === undefined ? atMost(REMEMBERED) : { ...atMost(REMEMBERED), ttl: ttlMs },
  );
}

const REMEMBERED = 100_000;

/** This clock beside a reference. */
export interface ClockComparison {
  /** Milliseconds this clock is ahead. */
  readonly offsetMs: number;
  /** Milliseconds the offset may be wrong by: half the time the answer took. */
  readonly uncertaintyMs: number;
}

/** A clock beside one that nobody sets. */
export interface ClockSources {
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets. Default: that of the process. */
  readonly monotonic?: () => number;
}

/** Offset of a clock at any moment, though it is compared from time to time only. */
export interface ClockOffset {
  /** Takes in a comparison that was made just now. */
  compared(comparison: ClockComparison): void;
  /** The last comparison, and what the clock did since; null before the first. */
  now(): (ClockComparison & { readonly ageMs: number }) | null;
  /** False while the clock is wrong for certain; true before the first comparison. */
  isRight(): boolean;
}

/** Offset beyond which a process is not ready, ms. */
const LARGEST_OFFSET_MS = 5000;

/** True while a clock is right, as far as a comparison can tell. */
export function isRightClock({ offsetMs, uncertaintyMs }: ClockComparison): boolean {
  return Math.abs(offsetMs) - uncertaintyMs <= LARGEST_OFFSET_MS;
}

/** Holds a clock against one that nobody sets, so that a change is noticed by the next look, not by the next comparison. */
export function createClockOffset({
  clock,
  monotonic = () => performance.now(),
}: ClockSources): ClockOffset {
  let last: (ClockComparison & { readonly wall: number; readonly elapsed: number }) | undefined;

  function now() {
    if (last === undefined) return null;
    const { offsetMs, uncertaintyMs, wall, elapsed } = last;
    const ageMs = monotonic() - elapsed;
    return { offsetMs: offsetMs + clock.now().getTime() - wall - ageMs, uncertaintyMs, ageMs };
  }

  return {
    compared(comparison) {
      last = { ...comparison, wall: clock.now().getTime(), elapsed: monotonic() };
    },
    now,
    isRight() {
      const found = now();
      return found === null || isRightClock(found);
    },
  };
}

export interface ClockTrustOptions extends ClockSources {
  /** Name of the reference, in the fault. */
  readonly reference: string;
  /** Age from which a comparison says nothing any more, ms. */
  readonly freshMs: number;
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

/** Judges the clock by its last comparison with a reference and by what it did since, at each timestamp. */
export function createClockTrust({
  reference,
  freshMs,
  ...sources
}: ClockTrustOptions): ClockTrust {
  const offset = createClockOffset(sources);
  return {
    compared(comparison) {
      if (comparison.uncertaintyMs <= ACCURACY_MS / 2) offset.compared(comparison);
    },
    fault() {
      const found = offset.now();
      if (found === null) return `The clock has not been compared with ${reference} yet.`;
      const { offsetMs, uncertaintyMs, ageMs } = found;
      if (ageMs > freshMs) {
        return `The clock was last compared with ${reference} ${Math.round(ageMs / 1000)} s ago.`;
      }
      if (Math.abs(offsetMs) + uncertaintyMs <= ACCURACY_MS) return null;
      return `The clock is ${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} ${reference}.`;
    },
  };
}

export interface AttemptLimitsOptions {
  /** Attempts for one key within the window; default 5. */
  readonly attempts?: number;
  /** From the first attempt, ms; default 15 minutes. */
  readonly windowMs?: number;
  /** Keys tracked at most; default 100,000. Beyond it the least recently used is dropped. */
  readonly capacity?: number;
  readonly now?: () => number;
}

/** Counts attempts in this process. */
export function createMemoryAttemptLimits({
  attempts = 5,
  windowMs = 15 * 60_000,
  capacity = 100_000,
  now = Date.now,
}: AttemptLimitsOptions = {}): AttemptLimits {
  const counted = new LRUCache<string, { readonly count: number; readonly until: number }>(
    atMost(capacity),
  );
  return {
    attempt(key, keptFree = 0, places = 1) {
      const time = now();
      const known = counted.get(key);
      const current =
        known === undefined || known.until <= time ? { count: 0, until: time + windowMs } : known;
      if (current.count + places > attempts - keptFree)
        return Math.ceil((current.until - time) / 1000);
      counted.set(key, { ...current, count: current.count + places });
      return 0;
    },
    wait(key) {
      const time = now();
      const known = counted.get(key);
      const isUsedUp = known !== undefined && known.until > time && known.count >= attempts;
      return isUsedUp ? Math.ceil((known.until - time) / 1000) : 0;
    },
    takeBack(key, places = 1) {
      const known = counted.get(key);
      if (known === undefined) return;
      counted.set(key, { ...known, count: Math.max(0, known.count - places) });
    },
    succeeded(key) {
      counted.delete(key);
    },
  };
}

/** About 100 bytes each: at a minute's window, 15,000 calls a second. */
const DEFAULT_CAPACITY = 1_000_000;

/**
 * Records uses in this process, in one bucket per second of expiry: a repeated use has the same expiry, so one bucket
 * is searched, and expired buckets are dropped whole.
 */
export function createMemoryReplayStore({
  now = Date.now,
  capacity = DEFAULT_CAPACITY,
}: { readonly now?: () => number; readonly capacity?: number } = {}): ReplayStore {
  const drawers = new Map<number, Set<string>>();
  let kept = 0;
  let emptiedAt = 0;

  function emptyOldDrawers(second: number): void {
    if (second === emptiedAt) return;
    emptiedAt = second;
    for (const [expires, drawer] of drawers) {
      if (expires >= second) continue;
      kept -= drawer.size;
      drawers.delete(expires);
    }
  }

  return {
    firstUse(key, usableUntil) {
      emptyOldDrawers(Math.floor(now() / 1000));
      const expires = Math.ceil(usableUntil.getTime() / 1000);
      let drawer = drawers.get(expires);
      if (drawer === undefined) drawers.set(expires, (drawer = new Set()));
      if (drawer.has(key)) return false;
      if (kept >= capacity) throw new Overloaded('device proofs');
      drawer.add(key);
      kept += 1;
      return true;
    },
  };
}
