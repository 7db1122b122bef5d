import { LRUCache } from 'lru-cache';
import { atMost } from '../boundedCache.ts';

export interface TaggedCacheOptions {
  /** Entries at most. */
  readonly max: number;
  /** Lifetime of an entry, milliseconds: fallback for a lost invalidation. */
  readonly ttlMs: number;
}

interface Entry {
  /** Cached as a promise, so that a hit allocates nothing. */
  readonly value: Promise<unknown>;
  readonly tags: readonly string[];
}

/** A cache with tags; invalidating a tag drops every entry that depends on it, including those being loaded. */
export interface TaggedCache {
  /**
   * The cached value, or the result of `load`; concurrent calls share one load.
   *
   * @param tagsOf tags the value depends on; `null`: do not cache it
   */
  get<Value>(
    key: string,
    load: () => Promise<Value>,
    tagsOf: (value: Value) => readonly string[] | null,
  ): Promise<Value>;
  drop(tags: readonly string[]): void;
  clear(): void;
}

/** A bounded least-recently-used cache with tags. */
export function createTaggedCache({ max, ttlMs }: TaggedCacheOptions): TaggedCache {
  const keysByTag = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry>({
    ...atMost(max),
    ttl: ttlMs,
    dispose: ({ tags }, key) => forgetTags(tags, key),
  });
  const loading = new Map<string, { readonly value: Promise<unknown>; readonly since: number }>();
  /** Incremented by every invalidation: a value requested before one may be stale when it arrives. */
  let drops = 0;

  function forgetTags(tags: readonly string[], key: string) {
    for (const tag of tags) {
      const keys = keysByTag.get(tag);
      if (keys?.delete(key) === true && keys.size === 0) keysByTag.delete(tag);
    }
  }

  function remember(key: string, value: Promise<unknown>, tags: readonly string[]) {
    entries.set(key, { value, tags });
    for (const tag of tags) {
      const keys = keysByTag.get(tag);
      if (keys === undefined) keysByTag.set(tag, new Set([key]));
      else keys.add(key);
    }
  }

  async function fetch<Value>(
    key: string,
    load: () => Promise<Value>,
    tagsOf: (value: Value) => readonly string[] | null,
  ): Promise<Value> {
    const shared = loading.get(key);
    if (shared?.since === drops) return shared.value as Promise<Value>;
    const since = drops;
    const value = load();
    loading.set(key, { value, since });
    try {
      const loaded = await value;
      const tags = tagsOf(loaded);
      if (tags !== null && since === drops) remember(key, value, tags);
      return loaded;
    } finally {
      if (loading.get(key)?.value === value) loading.delete(key);
    }
  }

  return {
    get<Value>(
      key: string,
      load: () => Promise<Value>,
      tagsOf: (value: Value) => readonly string[] | null,
    ): Promise<Value> {
      const entry = entries.get(key);
      return entry === undefined ? fetch(key, load, tagsOf) : (entry.value as Promise<Value>);
    },
    drop(tags) {
      drops += 1;
      for (const tag of tags) {
        for (const key of [...(keysByTag.get(tag) ?? [])]) entries.delete(key);
      }
    },
    clear() {
      drops += 1;
      entries.clear();
    },
  };
}
