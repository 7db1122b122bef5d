import { scrypt } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { base64, fromBase64 } from './bytes.ts';
import { keyAlgorithm, type KeyType } from './crypto.ts';
import type { PhoneState, PhoneStore, PinHash, WrappedKey } from './phoneState.ts';
import { signRsa } from './rsaSigning.ts';

/** A PIN key in a phone's file; texts are base64. */
interface StoredKey {
  readonly publicKey: string;
  readonly sealed: {
    /** Binary logarithm of scrypt's N. */
    readonly cost: number;
    readonly salt: string;
    readonly nonce: string;
    readonly tag: string;
    readonly ciphertext: string;
  };
  readonly wrongPins: number;
  readonly restsUntil?: string;
}

/** Content of a phone's file. Only the transport key is unencrypted. */
interface StoredPhone {
  readonly etsi: string;
  readonly name: string;
  /** `YYYY-MM-DD`; absent from files written before it was kept. */
  readonly birthDate?: string;
  readonly keyType: KeyType;
  /** PIN1. */
  readonly authentication: StoredKey;
  /** PIN2. */
  readonly signing: StoredKey;
  /** PKCS#8, base64. */
  readonly transport: { readonly privateKey: string };
  readonly enrolment: object | null;
  readonly documentNumber: string | null;
}

/** 16 MiB and tens of milliseconds a guess. */
const COST_AT_REST = 14;
/** Length of the tag of AES-GCM, bytes. */
const TAG_BYTES = 16;

/**
 * Stores a phone in a JSON file that only its owner may read; a crash leaves the old or the new
 * content.
 */
export function createFilePhoneStore(path: string): PhoneStore {
  return {
    ...terminal(COST_AT_REST),
    async load() {
      try {
        return await fromText(await readFile(path, 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async save(state) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Of this process: another one's half-written file must not take its place.
      const written = `${path}.${process.pid}.new`;
      const file = await open(written, 'w', 0o600);
      try {
        await file.writeFile(await toText(state));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(written, path);
    },
    clear: () => rm(path, { force: true }),
  };
}

/** Stores a phone in memory, where nobody finds keys to guess PINs of: these are hashed at almost no cost. */
export function createMemoryPhoneStore(): PhoneStore {
  let stored: PhoneState | null = null;
  const keep = (state: PhoneState | null) => {
    stored = state;
    return Promise.resolve();
  };
  return {
    ...terminal(4),
    load: () => Promise.resolve(stored),
    save: keep,
    clear: () => keep(null),
  };
}

/** @param cost binary logarithm of scrypt's N */
function terminal(cost: number) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    isText: true,
    signRsa,
    pinHash: {
      iterations: 2 ** cost,
      newPepper: () => Promise.resolve(null),
      wrappingKey: async (pin, { salt, iterations }) => {
        const key = await scryptKey(pin, salt, iterations);
        const usages = ['wrapKey', 'unwrapKey', 'decrypt', 'encrypt'] as const;
        return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [...usages]);
      },
    } satisfies PinHash,
    alone<Result>(work: () => Promise<Result>): Promise<Result> {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
  };
}

function scryptKey(pin: string, salt: Uint8Array, iterations: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(pin, salt, 32, { N: iterations, r: 8, p: 1 }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

async function toText({ keys, transport, ...state }: PhoneState): Promise<string> {
  const { etsi, name, birthDate, keyType, enrolment, documentNumber } = state;
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey('pkcs8', transport));
  const stored: StoredPhone = {
    etsi,
    name,
    ...(birthDate === undefined ? {} : { birthDate }),
    keyType,
    authentication: storedKey(keys.PIN1),
    signing: storedKey(keys.PIN2),
    transport: { privateKey: base64(pkcs8) },
    enrolment,
    documentNumber,
  };
  return JSON.stringify(stored, null, 2);
}

function storedKey(key: WrappedKey): StoredKey {
  const { publicKey, wrapped, nonce, salt, iterations, wrongPins, restsUntil } = key;
  const bytes = new Uint8Array(wrapped);
  return {
    publicKey: base64(publicKey),
    sealed: {
      cost: Math.log2(iterations),
      salt: base64(salt),
      nonce: base64(nonce),
      tag: base64(bytes.subarray(-TAG_BYTES)),
      ciphertext: base64(bytes.subarray(0, -TAG_BYTES)),
    },
    wrongPins,
    ...(restsUntil === undefined ? {} : { restsUntil }),
  };
}

async function fromText(text: string): Promise<PhoneState> {
  const { transport, authentication, signing, ...stored } = JSON.parse(text) as StoredPhone;
  const { etsi, name, birthDate, keyType, enrolment, documentNumber } = stored;
  const pkcs8 = fromBase64(transport.privateKey);
  const algorithm = keyAlgorithm['P-256'];
  return {
    etsi,
    name,
    ...(birthDate === undefined ? {} : { birthDate }),
    keyType,
    keys: { PIN1: wrappedKey(authentication), PIN2: wrappedKey(signing) },
    transport: await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
    pepper: null,
    enrolment,
    documentNumber,
  };
}

function wrappedKey({ publicKey, sealed, wrongPins, restsUntil }: StoredKey): WrappedKey {
  const wrapped = [...fromBase64(sealed.ciphertext), ...fromBase64(sealed.tag)];
  return {
    publicKey: fromBase64(publicKey),
    wrapped: Uint8Array.from(wrapped).buffer,
    nonce: fromBase64(sealed.nonce),
    salt: fromBase64(sealed.salt),
    iterations: 2 ** sealed.cost,
    wrongPins,
    ...(restsUntil === undefined ? {} : { restsUntil }),
  };
}
