import { utf8 } from '../../bytes.ts';
import type { PinName } from '../../session.ts';
import { exclusively, type PhoneState, type Store, type WrappedKey } from './store.ts';

/** The PIN was wrong; after the last attempt the key is locked for good. */
export class PinError extends Error {
  override readonly name = 'PinError';
  readonly attemptsLeft: number;

  constructor(attemptsLeft: number) {
    super(attemptsLeft === 0 ? 'The PIN is locked.' : `Wrong PIN, ${attemptsLeft} attempts left.`);
    this.attemptsLeft = attemptsLeft;
  }
}

/** How many wrong PINs in a row lock the key. */
export const ATTEMPTS = 3;
/** Of PBKDF2-HMAC-SHA-256: a good part of a second on a phone. */
const ITERATIONS = 600_000;
const ecdsaP256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Makes the key PINs are tried with: it never leaves the browser, so a copy of the wrapped keys cannot be guessed at elsewhere. */
export function newPepper(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** A new P-256 key pair; only a private key that is to be wrapped may be `extractable`. */
export function newKeyPair(extractable: boolean): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ecdsaP256, extractable, ['sign', 'verify']);
}

/** The public key as certificates have it: SubjectPublicKeyInfo, DER. */
export async function publicKeyOf({ publicKey }: CryptoKeyPair): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
}

/** Puts a key pair's private key under a PIN. */
export async function wrapUnder(
  pin: string,
  pair: CryptoKeyPair,
  pepper: CryptoKey,
): Promise<WrappedKey> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const derivation = { salt, iterations: ITERATIONS };
  const wrapping = await wrappingKey(pin, pepper, derivation, ['wrapKey']);
  const algorithm = { name: 'AES-GCM', iv: nonce };
  return {
    publicKey: await publicKeyOf(pair),
    wrapped: await crypto.subtle.wrapKey('pkcs8', pair.privateKey, wrapping, algorithm),
    ...{ nonce, ...derivation, wrongPins: 0 },
  };
}

/** Uses a private key behind a PIN. */
export interface Unlocked {
  /** As a key that signs and cannot be read. */
  key(): Promise<CryptoKey>;
  /** As PKCS#8, for what WebCrypto cannot sign; the bytes are overwritten when `sign` returns. */
  bytes<Result>(sign: (pkcs8: Uint8Array) => Result): Promise<Result>;
}

/**
 * Opens the private key behind a PIN and uses it. The attempt is counted, and the count written, before the PIN is tried;
 * only one PIN is tried at a time, in whatever tab.
 *
 * @throws PinError
 */
export async function unlock<Result>(
  store: Store,
  { name, pin }: { readonly name: PinName; readonly pin: string },
  use: (unlocked: Unlocked) => Promise<Result>,
): Promise<Result> {
  return exclusively(async () => {
    const state = await stateOf(store);
    const stored = state.keys[name];
    if (stored.wrongPins >= ATTEMPTS) throw new PinError(0);
    const count = (wrongPins: number) => store.save(withKey(state, name, { ...stored, wrongPins }));
    await count(stored.wrongPins + 1);
    const unlocked = await open(stored, pin, state.pepper);
    if (unlocked === null) throw new PinError(ATTEMPTS - stored.wrongPins - 1);
    await count(0);
    return use(unlocked);
  });
}

async function stateOf(store: Store): Promise<PhoneState> {
  const state = await store.load();
  if (state === null) throw new Error('The phone is not enrolled.');
  return state;
}

function withKey(state: PhoneState, name: PinName, key: WrappedKey): PhoneState {
  return { ...state, keys: { ...state.keys, [name]: key } };
}

/** Null when the PIN is wrong: what was wrapped is authentic under the right one alone. */
async function open(
  { wrapped, nonce, ...derivation }: WrappedKey,
  pin: string,
  pepper: CryptoKey,
): Promise<Unlocked | null> {
  const wrapping = await wrappingKey(pin, pepper, derivation, ['unwrapKey', 'decrypt']);
  const algorithm = { name: 'AES-GCM', iv: nonce };
  const key = () =>
    crypto.subtle.unwrapKey('pkcs8', wrapped, wrapping, algorithm, ecdsaP256, false, ['sign']);
  try {
    await key();
  } catch {
    return null;
  }
  return {
    key,
    bytes: async (sign) => {
      const pkcs8 = new Uint8Array(await crypto.subtle.decrypt(algorithm, wrapping, wrapped));
      try {
        return sign(pkcs8);
      } finally {
        pkcs8.fill(0);
      }
    },
  };
}

async function wrappingKey(
  pin: string,
  pepper: CryptoKey,
  { salt, iterations }: Pick<WrappedKey, 'salt' | 'iterations'>,
  usages: KeyUsage[],
): Promise<CryptoKey> {
  const peppered = await crypto.subtle.sign('HMAC', pepper, utf8(pin));
  const secret = await crypto.subtle.importKey('raw', peppered, 'PBKDF2', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    usages,
  );
}
