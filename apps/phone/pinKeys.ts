import { type CryptoKey, type KeyPair, keyAlgorithm, publicKeyOf, randomBytes } from './crypto.ts';
import type { PhoneState, PhoneStore, PinHash, WrappedKey } from './phoneState.ts';
import type { PinName } from './session.ts';
import type { Unlocked } from './signing.ts';

/** Wrong PIN; after the last attempt the key is locked permanently. */
export class PinError extends Error {
  override readonly name = 'PinError';
  readonly attemptsLeft: number;

  constructor(pin: PinName, attemptsLeft: number) {
    super(
      attemptsLeft === 0 ? `${pin} is locked.` : `${pin} is wrong, ${attemptsLeft} attempts left.`,
    );
    this.attemptsLeft = attemptsLeft;
  }
}

/** Consecutive wrong PINs that lock the key. */
const ATTEMPTS = 3;

/** Wraps the private key of a pair under a PIN. */
export async function wrapUnder(
  pin: string,
  pair: KeyPair,
  { pinHash, pepper }: { readonly pinHash: PinHash } & Pick<PhoneState, 'pepper'>,
): Promise<WrappedKey> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const { iterations } = pinHash;
  const wrapping = await pinHash.wrappingKey(pin, { salt, iterations, pepper });
  const algorithm = { name: 'AES-GCM', iv: nonce };
  return {
    publicKey: await publicKeyOf(pair),
    wrapped: await crypto.subtle.wrapKey('pkcs8', pair.privateKey, wrapping, algorithm),
    nonce,
    salt,
    iterations,
    wrongPins: 0,
  };
}

/**
 * Unlocks the private key of a PIN and uses it. The attempt is counted, and the count written,
 * before the PIN is tried; one PIN is tried at a time. What fails before or behind that counts nothing for good.
 *
 * @throws PinError
 */
export function unlock<Result>(
  store: PhoneStore,
  { name, pin }: { readonly name: PinName; readonly pin: string },
  use: (unlocked: Unlocked) => Promise<Result>,
): Promise<Result> {
  return store.alone(async () => {
    const state = await store.load();
    if (state === null) throw new Error('The phone is not enrolled.');
    const stored = state.keys[name];
    if (stored.wrongPins >= ATTEMPTS) throw new PinError(name, 0);
    const count = (wrongPins: number) =>
      store.save({ ...state, keys: { ...state.keys, [name]: { ...stored, wrongPins } } });
    const { salt, iterations } = stored;
    const { pepper } = state;
    const wrapping = await store.pinHash.wrappingKey(pin, { salt, iterations, pepper });
    await count(stored.wrongPins + 1);
    const unlocked = await open(stored, wrapping, state, store);
    if (unlocked === null) throw new PinError(name, ATTEMPTS - stored.wrongPins - 1);
    await count(0);
    return use(unlocked);
  });
}

/** PINs whose attempts are used up. */
export function lockedPinsOf({ keys }: PhoneState): readonly PinName[] {
  return (['PIN1', 'PIN2'] as const).filter((name) => keys[name].wrongPins >= ATTEMPTS);
}

/** Unwraps the key; null when the PIN is wrong, which the authenticated encryption reveals. */
async function open(
  { wrapped, nonce }: WrappedKey,
  wrapping: CryptoKey,
  { keyType }: PhoneState,
  { signRsa }: PhoneStore,
): Promise<Unlocked | null> {
  const algorithm = { name: 'AES-GCM', iv: nonce };
  const unwrapped = keyAlgorithm[keyType];
  const key = () =>
    crypto.subtle.unwrapKey('pkcs8', wrapped, wrapping, algorithm, unwrapped, false, ['sign']);
  try {
    await key();
  } catch (error) {
    // Of decrypting; a key that is none after it is no wrong PIN.
    if (error instanceof Error && error.name === 'OperationError') return null;
    throw error;
  }
  return {
    keyType,
    key,
    bytes: async (sign) => {
      const pkcs8 = new Uint8Array(await crypto.subtle.decrypt(algorithm, wrapping, wrapped));
      try {
        return sign(pkcs8);
      } finally {
        pkcs8.fill(0);
      }
    },
    ...(signRsa === undefined ? {} : { signRsa }),
  };
}
