import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { createKeyRing, type FoundKey, PLATFORM } from './personKeyRing.ts';
import type { PersonKeys } from './personKeys.ts';
import { deriveMasterKeys, fingerprint, openText, sealText } from './sealing.ts';

export interface VaultOptions {
  /** Storage of the wrapped keys. */
  readonly keys: PersonKeys;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
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

/** AES-256-GCM with a random 96-bit nonce, the subject as associated data, one key per person. */
export function createPersonalDataVault(options: VaultOptions): WatchingVault {
  const { wrapping, blindIndex } = deriveMasterKeys(options.masterKey);
  const staleAfterMs = options.staleAfterMs ?? 3000;
  const ring = createKeyRing({
    keys: options.keys,
    wrappingKey: wrapping,
    capacity: options.capacity ?? 50_000,
    staleAfterMs,
    elapsed: options.elapsed ?? (() => performance.now()),
  });
  let timer: NodeJS.Timeout | undefined;

  async function seal(subject: string | null, plaintext: string): Promise<string> {
    const id = subject ?? PLATFORM;
    const found: FoundKey = ring.inMemory(id) ?? (await ring.get(id, true));
    if (found === undefined || found === 'destroyed') throw new SubjectForgotten();
    return sealText(found.key, found.context, plaintext);
  }

  async function open(subject: string | null, sealed: string): Promise<string | null> {
    const id = subject ?? PLATFORM;
    const found: FoundKey = ring.inMemory(id) ?? (await ring.get(id, false));
    if (found === 'destroyed') return null;
    if (found === undefined) {
      throw new Error('No data key for the subject of sealed data: the key table is incomplete.');
    }
    return openText(found.key, found.context, sealed);
  }

  return {
    seal,
    open,
    openAtOnce: (subject, sealed) => {
      const found = ring.inMemory(subject ?? PLATFORM);
      return found === undefined ? undefined : openText(found.key, found.context, sealed);
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
