import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyType } from './crypto.ts';
import type { SealedKey } from './sealedKey.ts';

export interface StoredKey {
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly publicKey: string;
  readonly sealed: SealedKey;
  /** Wrong PINs in a row. */
  readonly wrongPins: number;
}

/** Everything a phone keeps. Only the transport key lies open: the app uses it without a PIN. */
export interface PhoneState {
  readonly etsi: string;
  readonly keyType: KeyType;
  /** PIN1. */
  readonly authentication: StoredKey;
  /** PIN2. */
  readonly signing: StoredKey;
  readonly transport: { readonly publicKey: string; readonly privateKey: string };
  /** The body of an enrolment under way: repeated as it is until it is answered. */
  readonly enrolment: object | null;
  readonly documentNumber: string | null;
}

export interface PhoneStore {
  load(): Promise<PhoneState | null>;
  save(state: PhoneState): Promise<void>;
}

/** Keeps a phone in a JSON file only its owner may read; a crash leaves the old or the new content. */
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

/** Keeps a phone in memory. */
export function createMemoryPhoneStore(): PhoneStore {
  let kept: PhoneState | null = null;
  return {
    load: () => Promise.resolve(kept),
    save: (state) => {
      kept = state;
      return Promise.resolve();
    },
  };
}
