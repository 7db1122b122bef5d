/**
 * Options of an LRU cache of so many entries at most. With `max`, the library allocates room for all of them at once:
 * for the caches of a service, a third of the processor time of its start.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
