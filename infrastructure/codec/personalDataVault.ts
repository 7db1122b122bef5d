import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import type { PersonKeys } from './personKeys.ts';
import {
  deriveMasterKeys,
  fingerprint,
  generationOf,
  newDataKey,
  decryptText,
  encryptionContext,
  encryptText,
  unwrapKey,
  wrapKey,
} from './encryption.ts';
import { soleWrappingKey, type WrappingKeys } from './wrappingKeys.ts';
import { atMost } from '../system.ts';

/** A key ready for use. */
interface SubjectKey {
  readonly key: KeyObject;
  /** Associated data: binds what is encrypted to its subject. */
  readonly context: Buffer;
}

/** `undefined`: there never was a key. */
type FoundKey = SubjectKey | 'destroyed' | undefined;

interface KeyRingOptions {
  readonly keys: PersonKeys;
  readonly wrapping: WrappingKeys;
  readonly capacity: number;
  readonly staleAfterMs: number;
  readonly elapsed: () => number;
}

interface Wanted {
  create: boolean;
  readonly promise: Promise<FoundKey>;
  readonly resolve: (found: FoundKey) => void;
  readonly reject: (error: unknown) => void;
}

/** The row of the platform's own key. No person has this id: a civil id is twelve digits. */
const PLATFORM = 'platform';

/**
 * Cache of unwrapped keys, fetched and created in batches, and dropped when their person is forgotten.
 *
 * Learns of keys destroyed by other processes by polling (one small query for all keys), not by NOTIFY: a connection
 * lost unnoticed then makes keys unusable instead of leaving a destroyed one in use.
 */
function createKeyRing(options: KeyRingOptions) {
  const { keys, wrapping, staleAfterMs, elapsed } = options;
  const cache = new LRUCache<string, SubjectKey>(atMost(options.capacity));
  const forgotten = new Set<string>();
  const listeners = new Set<(subject: string) => void>();
  let platformKey: SubjectKey | undefined;
  let cursor: bigint | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  let wanted = new Map<string, Wanted>();
  let fetching = false;

  function markForgotten(subject: string): void {
    cache.delete(subject);
    if (forgotten.has(subject)) return;
    forgotten.add(subject);
    for (const listener of listeners) listener(subject);
  }

  async function ask(): Promise<void> {
    const before = elapsed();
    const destroyed = await keys.destroyedAfter(cursor);
    cursor = destroyed.cursor;
    destroyed.subjects.forEach(markForgotten);
    // Unwrapping the platform's key before any other proves the master key, before anything is encrypted under a wrong one.
    platformKey ??= await fetchPlatformKey();
    askedAt = before;
  }

  async function fetchPlatformKey(): Promise<SubjectKey> {
    const found = (await fetch(new Map([[PLATFORM, true]]))).get(PLATFORM);
    if (found === undefined || found === 'destroyed')
      throw new Error("The platform's own data key is missing.");
    return found;
  }

  /** Reads which keys were destroyed since the last time. Concurrent calls share one query. */
  function refresh(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  function inMemory(subject: string): SubjectKey | undefined {
    const age = elapsed() - askedAt;
    if (age > staleAfterMs) return undefined;
    if (age > staleAfterMs / 3) refresh().catch(() => undefined);
    return subject === PLATFORM ? platformKey : cache.get(subject);
  }

  async function get(subject: string, create: boolean): Promise<FoundKey> {
    if (elapsed() - askedAt > staleAfterMs) await refresh();
    if (forgotten.has(subject)) return 'destroyed';
    return inMemory(subject) ?? want(subject, create);
  }

  function want(subject: string, create: boolean): Promise<FoundKey> {
    let one = wanted.get(subject);
    if (one === undefined) {
      one = newWanted(create);
      wanted.set(subject, one);
    }
    one.create ||= create;
    if (!fetching) void fetchWanted();
    return one.promise;
  }

  async function fetchWanted(): Promise<void> {
    fetching = true;
    // Lets all calls of this turn of the event loop join the query.
    await Promise.resolve();
    while (wanted.size > 0) {
      const batch = wanted;
      wanted = new Map();
      try {
        const found = await fetch(new Map([...batch].map(([id, { create }]) => [id, create])));
        for (const [subject, one] of batch) one.resolve(found.get(subject));
      } catch (error) {
        for (const one of batch.values()) one.reject(error);
      }
    }
    fetching = false;
  }

  async function fetch(
    subjects: ReadonlyMap<string, boolean>,
  ): Promise<ReadonlyMap<string, SubjectKey | 'destroyed'>> {
    const rows = new Map(await keys.find([...subjects.keys()]));
    const missing = [...subjects].filter(([subject, create]) => create && !rows.has(subject));
    if (missing.length > 0) {
      const created = missing.map(([subject]) => subject);
      await add(created);
      // Another process may have stored its key first: the stored key is used.
      for (const [subject, row] of await keys.find(created)) rows.set(subject, row);
    }
    const isUnknown = (row: Buffer | 'destroyed') =>
      row !== 'destroyed' && wrapping.of(generationOf(row)) === undefined;
    // Keys of a generation that has begun since.
    if ([...rows.values()].some(isUnknown)) await wrapping.refresh();
    return new Map([...rows].map(([subject, row]) => [subject, keep(subject, row)]));
  }

  /** Adds new keys, wrapped anew when the master key was rotated meanwhile. */
  async function add(subjects: readonly string[]): Promise<void> {
    for (;;) {
      const under = wrapping.current();
      const wrapped = subjects.map(
        (subject) => [subject, wrapKey(under, subject, newDataKey())] as const,
      );
      if (await keys.add(new Map(wrapped), under.generation)) return;
      await wrapping.refresh();
    }
  }

  function keep(subject: string, row: Buffer | 'destroyed'): SubjectKey | 'destroyed' {
    if (row === 'destroyed') markForgotten(subject);
    // Also when the row was read just before the person was forgotten.
    if (row === 'destroyed' || forgotten.has(subject)) return 'destroyed';
    const found = {
      key: unwrapKey(wrapping.of(generationOf(row)), subject, row),
      context: encryptionContext(subject),
    };
    if (subject !== PLATFORM) cache.set(subject, found);
    return found;
  }

  const isKnown = (subject: string) => forgotten.has(subject);

  return {
    inMemory,
    get,
    refresh,
    /** Drops everything remembered: the stored keys may be older than it. */
    clear: (): void => {
      cache.clear();
      platformKey = undefined;
      cursor = null;
      askedAt = Number.NEGATIVE_INFINITY;
    },
    forget: async (subject: string): Promise<void> => {
      await keys.destroy(subject);
      markForgotten(subject);
    },
    forgottenAmong: async (subjects: readonly string[]): Promise<ReadonlySet<string>> => {
      const [known, others] = [subjects.filter(isKnown), subjects.filter((each) => !isKnown(each))];
      if (others.length === 0) return new Set(known);
      const stored = await keys.find(others);
      return new Set([...known, ...others.filter((each) => stored.get(each) === 'destroyed')]);
    },
    onForgotten: (listener: (subject: string) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function newWanted(create: boolean): Wanted {
  let resolve!: Wanted['resolve'];
  let reject!: Wanted['reject'];
  const promise = new Promise<FoundKey>((onFound, onError) => {
    resolve = onFound;
    reject = onError;
  });
  return { create, promise, resolve, reject };
}

export interface VaultOptions {
  /** Storage of the wrapped keys. */
  readonly keys: PersonKeys;
  /** Derivation key, 32 bytes. */
  readonly masterKey: Uint8Array;
  /** Default: of that key, which is never rotated then. */
  readonly wrapping?: WrappingKeys;
  /** Persons whose keys are kept in memory, some kilobyte each; default 50,000. */
  readonly capacity?: number | undefined;
  /** Time for which another process may still use a destroyed key, ms; default 3000. */
  readonly staleAfterMs?: number;
  /** Monotonic milliseconds; default `performance.now`. */
  readonly elapsed?: () => number;
}

/** The vault, and its watch over persons forgotten by other processes. */
export interface WatchingVault extends PersonalDataVault {
  /** Verifies the master key against the stored keys, then polls for destroyed keys, also while the vault is unused. */
  start(): Promise<void>;
  stop(): void;
  /** Drops the keys in memory: those stored may be older. */
  dropKeys(): void;
}

/**
 * First character of an encrypted IP address, `~<civil id>~<encrypted>`; without a civil id the platform key encrypted it.
 * No plain address begins so; events written before addresses were encrypted have them in clear.
 */
const MARK = '~';

const ENCRYPTED_ADDRESS = /^~([^~]*)~([^~]+)$/;

/** AES-256-GCM with a random 96-bit nonce, the subject as associated data, one key per person. */
export function createPersonalDataVault(options: VaultOptions): WatchingVault {
  const { blindIndex } = deriveMasterKeys(options.masterKey);
  const staleAfterMs = options.staleAfterMs ?? 3000;
  const ring = createKeyRing({
    keys: options.keys,
    wrapping: options.wrapping ?? soleWrappingKey(options.masterKey),
    capacity: options.capacity ?? 50_000,
    staleAfterMs,
    elapsed: options.elapsed ?? (() => performance.now()),
  });
  let timer: NodeJS.Timeout | undefined;

  async function encrypt(subject: string | null, plaintext: string): Promise<string> {
    const id = subject ?? PLATFORM;
    const found: FoundKey = ring.inMemory(id) ?? (await ring.get(id, true));
    if (found === undefined || found === 'destroyed') throw new SubjectForgotten();
    return encryptText(found.key, found.context, plaintext);
  }

  async function decrypt(subject: string | null, encrypted: string): Promise<string | null> {
    const id = subject ?? PLATFORM;
    const found: FoundKey = ring.inMemory(id) ?? (await ring.get(id, false));
    if (found === 'destroyed') return null;
    if (found === undefined) {
      throw new Error(
        'No data key for the subject of encrypted data: the key table is incomplete.',
      );
    }
    return decryptText(found.key, found.context, encrypted);
  }

  return {
    encrypt,
    decrypt,
    decryptAtOnce: (subject, encrypted) => {
      const found = ring.inMemory(subject ?? PLATFORM);
      return found === undefined ? undefined : decryptText(found.key, found.context, encrypted);
    },
    encryptAddress: async (of, address) => `${MARK}${of ?? ''}${MARK}${await encrypt(of, address)}`,
    async decryptAddress(ip) {
      const encrypted = ip === null ? null : ENCRYPTED_ADDRESS.exec(ip);
      if (encrypted === null) return ip;
      const [, of = '', text = ''] = encrypted;
      return decrypt(of === '' ? null : of, text);
    },
    blindIndex: (purpose, value) => fingerprint(blindIndex, purpose, value),
    forget: async (subject) => {
      if (subject === PLATFORM) throw new Error("The platform's own key is never destroyed.");
      await ring.forget(subject);
    },
    dropKeys: ring.clear,
    isForgotten: async (subject) => (await ring.forgottenAmong([subject])).has(subject),
    forgottenAmong: ring.forgottenAmong,
    onForgotten: ring.onForgotten,
    start: async () => {
      await ring.refresh();
      timer ??= setInterval(() => {
        ring.refresh().catch(() => undefined);
      }, staleAfterMs / 3).unref();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
