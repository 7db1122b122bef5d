import { LRUCache } from 'lru-cache';

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
