import { LRUCache } from 'lru-cache';
import type {
  CertificateData,
  DeviceData,
  ReferenceData,
} from '../../application/ports/referenceData.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import {
  type NotificationFeed,
  referenceDataTopic,
} from '../../application/ports/notifications.ts';
import { orUnavailable } from './availability.ts';
import { atMost } from '../boundedCache.ts';

export interface CachedReferenceDataOptions {
  /** Reads from the tables. */
  readonly referenceData: ReferenceData;
  /** Notifies of changes. */
  readonly feed: NotificationFeed;
  /** Notifies of forgotten persons. */
  readonly vault: Pick<PersonalDataVault, 'onForgotten'>;
  /** Entries at most; default 100,000. */
  readonly max?: number;
  /** Lifetime of an entry, milliseconds; default 30,000. */
  readonly ttlMs?: number;
}

const factTopics = /^(rp|citizen|device|certificate|organization):/;

/**
 * Reference data from memory, invalidated when a projection announces a change and cleared when announcements may have
 * been missed. Absence is never cached. During an outage of PostgreSQL, uncached look-ups fail with
 * `Unavailable('database')`.
 */
export function createCachedReferenceData({
  referenceData,
  feed,
  vault,
  max = 100_000,
  ttlMs = 30_000,
}: CachedReferenceDataOptions): ReferenceData {
  const cache = createTaggedCache({ max, ttlMs });
  feed.subscribe((topics) => {
    if (topics === 'all') {
      cache.clear();
      return;
    }
    const changed = topics.filter((topic) => factTopics.test(topic));
    if (changed.length > 0) cache.drop(changed);
  });
  vault.onForgotten((civilId) => cache.drop([referenceDataTopic('citizen', civilId)]));

  function ask<Entry>(
    key: string,
    query: () => Promise<Entry | null>,
    tags: (entry: Entry) => readonly string[],
  ): Promise<Entry | null> {
    return cache.get(
      key,
      () => orUnavailable('database', query),
      (entry) => (entry === null ? null : tags(entry)),
    );
  }

  return {
    relyingPartyBySecretHash: (secretHash) =>
      ask(
        `secret ${secretHash}`,
        () => referenceData.relyingPartyBySecretHash(secretHash),
        (entry) => [referenceDataTopic('rp', entry.relyingPartyId)],
      ),
    relyingParty: (relyingPartyId) =>
      ask(
        `rp ${relyingPartyId}`,
        () => referenceData.relyingParty(relyingPartyId),
        (entry) => [referenceDataTopic('rp', entry.relyingPartyId)],
      ),
    citizen: (identifier) =>
      ask(
        identifier.type === 'civilId'
          ? `civilId ${identifier.civilId}`
          : `registrationNumber ${identifier.registrationNumber}`,
        () => referenceData.citizen(identifier),
        (entry) => [referenceDataTopic('citizen', entry.civilId)],
      ),
    certificate: (serial) =>
      ask(`certificate ${serial}`, () => referenceData.certificate(serial), certificateTags),
    device: (documentNumber) =>
      ask(`device ${documentNumber}`, () => referenceData.device(documentNumber), deviceTags),
    organization: (register) =>
      ask(
        `organization ${register}`,
        () => referenceData.organization(register),
        () => [referenceDataTopic('organization', register)],
      ),
    // Rights start and end with time, and are rarely needed: not cached.
    rightsOf: (civilId, now) =>
      orUnavailable('database', () => referenceData.rightsOf(civilId, now)),
    rightOf: (register, civilId, now) =>
      orUnavailable('database', () => referenceData.rightOf(register, civilId, now)),
    async activeDevicesOf(civilId) {
      const devices = await ask(
        `devices ${civilId}`,
        async () => {
          const found = await referenceData.activeDevicesOf(civilId);
          return found.length === 0 ? null : found;
        },
        (found) => [referenceDataTopic('citizen', civilId), ...found.flatMap(deviceTags)],
      );
      return devices ?? [];
    },
  };
}

function certificateTags(entry: CertificateData): readonly string[] {
  return [
    referenceDataTopic('certificate', entry.serial),
    referenceDataTopic('citizen', entry.civilId),
  ];
}

function deviceTags(entry: DeviceData): readonly string[] {
  return [
    referenceDataTopic('device', entry.documentNumber),
    ...certificateTags(entry.authentication),
    ...certificateTags(entry.signing),
  ];
}

interface TaggedCacheOptions {
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
interface TaggedCache {
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
function createTaggedCache({ max, ttlMs }: TaggedCacheOptions): TaggedCache {
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
