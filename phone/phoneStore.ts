import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyType } from './crypto.ts';
import type { SealedKey } from './sealedKey.ts';

export interface StoredKey {
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly publicKey: string;
  readonly sealed: SealedKey;
  /** Consecutive wrong PINs. */
  readonly wrongPins: number;
}

/** State of a phone. Only the transport key is unencrypted: the app uses it without a PIN. */
export interface PhoneState {
  readonly etsi: string;
  readonly keyType: KeyType;
  /** PIN1. */
  readonly authentication: StoredKey;
  /** PIN2. */
  readonly signing: StoredKey;
  readonly transport: { readonly publicKey: string; readonly privateKey: string };
  /** Body of an enrolment in progress, repeated unchanged until it is answered. */
  readonly enrolment: object | null;
  readonly documentNumber: string | null;
}

export interface PhoneStore {
  /** Binary logarithm of scrypt's N that keys are sealed with under a PIN; default: what a store at rest needs. */
  readonly pinCost?: number;
  load(): Promise<PhoneState | null>;
  save(state: PhoneState): Promise<void>;
}

/**
 * Stores a phone in a JSON file that only its owner may read; a crash leaves the old or the new
 * content.
 */
export function createFilePhoneStore(path: string): PhoneStore {
  return {
    async load() {
      try {
        return JSON.parse(await readFile(path, 'utf8')) as PhoneState;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async save(state) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const written = `${path}.new`;
      const file = await open(written, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify(state, null, 2));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(written, path);
    },
  };
}

/** Stores a phone in memory, where nobody finds keys to guess PINs of: these are hashed at almost no cost. */
export function createMemoryPhoneStore(): PhoneStore {
  let stored: PhoneState | null = null;
  return {
    pinCost: 4,
    load: () => Promise.resolve(stored),
    save: (state) => {
      stored = state;
      return Promise.resolve();
    },
  };
}
