/**
 * Options of an LRU cache with at most this many entries. With `max`, the library allocates memory for all of them at
 * once: for the caches of a service, a third of the processor time of its start.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
