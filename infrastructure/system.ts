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
  const cache = new LRUCache<string, Loaded>({ max });
  return {
    get: (stream: string) => cache.get(stream),
    set: (stream: string, loaded: Loaded) => void cache.set(stream, loaded),
    delete: (stream: string) => void cache.delete(stream),
    clear: () => cache.clear(),
  };
}
