import { utf8 } from '../../bytes.ts';
import type { PinName } from '../../session.ts';
import { withStateLock, type PhoneState, type Store, type WrappedKey } from './store.ts';

/** Wrong PIN; after the last attempt the key is locked permanently. */
export class PinError extends Error {
  override readonly name = 'PinError';
  readonly attemptsLeft: number;

  constructor(attemptsLeft: number) {
    super(attemptsLeft === 0 ? 'The PIN is locked.' : `Wrong PIN, ${attemptsLeft} attempts left.`);
    this.attemptsLeft = attemptsLeft;
  }
}

/** Consecutive wrong PINs that lock the key. */
const ATTEMPTS = 3;
/** Iterations of PBKDF2-HMAC-SHA-256: a good part of a second on a phone. */
const ITERATIONS = 600_000;
const ecdsaP256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * Generates the pepper of PINs: it never leaves the browser, so a copy of the wrapped keys cannot
 * be attacked elsewhere.
 */
export function newPepper(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** Generates a P-256 key pair; only a private key to be wrapped may be `extractable`. */
export function newKeyPair(extractable: boolean): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ecdsaP256, extractable, ['sign', 'verify']);
}

/** Exports the public key as SubjectPublicKeyInfo, DER. */
export async function publicKeyOf({ publicKey }: CryptoKeyPair): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
}

/** Wraps the private key of a pair under a PIN. */
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
    nonce,
    ...derivation,
    wrongPins: 0,
  };
}

/** An unlocked private key. */
export interface Unlocked {
  /** Returns a key that signs and cannot be exported. */
  key(): Promise<CryptoKey>;
  /**
   * Lends the key as PKCS#8, for operations missing in WebCrypto; the bytes are overwritten when
   * `sign` returns.
   */
  bytes<Result>(sign: (pkcs8: Uint8Array) => Result): Promise<Result>;
}

/**
 * Unlocks the private key of a PIN and uses it. The attempt is counted, and the count written,
 * before the PIN is tried; one PIN is tried at a time among all tabs.
 *
 * @throws PinError
 */
export async function unlock<Result>(
  store: Store,
  { name, pin }: { readonly name: PinName; readonly pin: string },
  use: (unlocked: Unlocked) => Promise<Result>,
): Promise<Result> {
  return withStateLock(async () => {
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

/** PINs whose attempts are used up. */
export function lockedPinsOf({ keys }: PhoneState): readonly PinName[] {
  return (['PIN1', 'PIN2'] as const).filter((name) => keys[name].wrongPins >= ATTEMPTS);
}

async function stateOf(store: Store): Promise<PhoneState> {
  const state = await store.load();
  if (state === null) throw new Error('The phone is not enrolled.');
  return state;
}

function withKey(state: PhoneState, name: PinName, key: WrappedKey): PhoneState {
  return { ...state, keys: { ...state.keys, [name]: key } };
}

/** Unwraps the key; null when the PIN is wrong, which the authenticated encryption reveals. */
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
