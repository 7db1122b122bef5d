import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../application/ports/clock.ts';
import type { Randomness } from '../application/ports/randomness.ts';

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

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
