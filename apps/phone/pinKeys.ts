import { type CryptoKey, type KeyPair, keyAlgorithm, publicKeyOf, randomBytes } from './crypto.ts';
import type { PhoneState, PhoneStore, PinHash, WrappedKey } from './phoneState.ts';
import type { PinName } from './session.ts';
import type { Unlocked } from './signing.ts';

/** Wrong PIN, or one that is not tried because the key is locked. */
export class PinError extends Error {
  override readonly name = 'PinError';
  /** Until the key is locked; 0: it is. */
  readonly attemptsLeft: number;
  /** End of the lock, ISO 8601; null: not locked, or for good. */
  readonly restsUntil: string | null;

  constructor(pin: PinName, attemptsLeft: number, restsUntil: string | null = null) {
    super(messageOf(pin, attemptsLeft, restsUntil));
    this.attemptsLeft = attemptsLeft;
    this.restsUntil = restsUntil;
  }
}

function messageOf(pin: PinName, attemptsLeft: number, restsUntil: string | null): string {
  if (attemptsLeft > 0) return `${pin} is wrong, ${attemptsLeft} attempts left.`;
  return restsUntil === null ? `${pin} is locked.` : `${pin} is locked until ${restsUntil}.`;
}

const HOUR_MS = 3_600_000;
/** Consecutive wrong PINs that lock the key. */
const ATTEMPTS = 3;
/** Length of the first lock and of the next, ms; the one behind them is for good. */
const RESTS: readonly number[] = [3 * HOUR_MS, 24 * HOUR_MS];
/** Consecutive wrong PINs that lock the key for good: 9 of 10,000 are tried. */
const MOST_ATTEMPTS = ATTEMPTS * (RESTS.length + 1);

type Counted = Pick<WrappedKey, 'wrongPins' | 'restsUntil'>;

/** True when the key can never be used again. */
function isLost({ wrongPins, restsUntil }: Counted): boolean {
  return wrongPins >= MOST_ATTEMPTS || (wrongPins >= ATTEMPTS && restsUntil === undefined);
}

function isResting({ restsUntil }: Counted, now: number): boolean {
  return restsUntil !== undefined && now < Date.parse(restsUntil);
}

/** Count after a wrong PIN; each third begins a lock. */
function afterWrongPin({ wrongPins: before, restsUntil }: Counted, now: number): Counted {
  const wrongPins = before + 1;
  const rest = wrongPins % ATTEMPTS === 0 ? RESTS[wrongPins / ATTEMPTS - 1] : undefined;
  const end = rest === undefined ? restsUntil : new Date(now + rest).toISOString();
  return end === undefined ? { wrongPins } : { wrongPins, restsUntil: end };
}

/** Refusal of a count. */
function refusalOf(name: PinName, counted: Counted, now: number): PinError {
  if (isLost(counted)) return new PinError(name, 0);
  return isResting(counted, now)
    ? new PinError(name, 0, counted.restsUntil)
    : new PinError(name, ATTEMPTS - (counted.wrongPins % ATTEMPTS));
}

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

/** A PIN as typed. */
export interface TypedPin {
  readonly name: PinName;
  readonly pin: string;
}

/**
 * Unlocks the private key of a PIN and uses it. The attempt is counted, and the count written,
 * before the PIN is tried; one PIN is tried at a time. What fails before or behind that counts nothing for good.
 *
 * @throws PinError
 */
export function unlock<Result>(
  store: PhoneStore,
  { name, pin }: TypedPin,
  use: (unlocked: Unlocked) => Promise<Result>,
  now: () => number = Date.now,
): Promise<Result> {
  return store.alone(async () => {
    const state = await store.load();
    if (state === null) throw new Error('The phone is not enrolled.');
    const stored = state.keys[name];
    if (isLost(stored) || isResting(stored, now())) throw refusalOf(name, stored, now());
    const { publicKey, wrapped, nonce, salt, iterations } = stored;
    const key = { publicKey, wrapped, nonce, salt, iterations };
    const count = (counted: Counted) =>
      store.save({ ...state, keys: { ...state.keys, [name]: { ...key, ...counted } } });
    const { pepper } = state;
    const wrapping = await store.pinHash.wrappingKey(pin, { salt, iterations, pepper });
    const wrong = afterWrongPin(stored, now());
    await count(wrong);
    const unlocked = await open(stored, wrapping, state, store);
    if (unlocked === null) throw refusalOf(name, wrong, now());
    await count({ wrongPins: 0 });
    return use(unlocked);
  });
}

/**
 * Replaces a PIN: the same key is wrapped under another.
 *
 * @throws PinError when the former PIN is wrong
 */
export function changePin(
  store: PhoneStore,
  former: TypedPin,
  pin: string,
  now?: () => number,
): Promise<void> {
  const replace = async (unlocked: Unlocked) => {
    const state = await store.load();
    if (state === null) throw new Error('The phone is not enrolled.');
    const { [former.name]: stored } = state.keys;
    const { iterations } = store.pinHash;
    const [salt, nonce] = [randomBytes(16), randomBytes(12)];
    const { pepper } = state;
    const wrapping = await store.pinHash.wrappingKey(pin, { salt, iterations, pepper });
    const algorithm = { name: 'AES-GCM', iv: nonce };
    const wrapped = await unlocked.bytes((pkcs8) =>
      crypto.subtle.encrypt(algorithm, wrapping, pkcs8),
    );
    const { publicKey } = stored;
    const key = { publicKey, wrapped, nonce, salt, iterations, wrongPins: 0 };
    await store.save({ ...state, keys: { ...state.keys, [former.name]: key } });
  };
  return unlock(store, former, replace, now);
}

const pinNames = ['PIN1', 'PIN2'] as const;

/** PINs that are locked for good. */
export function lockedPinsOf({ keys }: PhoneState): readonly PinName[] {
  return pinNames.filter((name) => isLost(keys[name]));
}

/** A PIN that is locked for a time. */
export interface RestingPin {
  readonly pin: PinName;
  /** ISO 8601. */
  readonly until: string;
}

/** PINs that are locked for a time now. */
export function restingPinsOf({ keys }: PhoneState, now: number): readonly RestingPin[] {
  return pinNames.flatMap((pin) => {
    const { restsUntil: until } = keys[pin];
    return until !== undefined && isResting(keys[pin], now) && !isLost(keys[pin])
      ? [{ pin, until }]
      : [];
  });
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
        const result = sign(pkcs8);
        await Promise.resolve(result);
        return result;
      } finally {
        pkcs8.fill(0);
      }
    },
    ...(signRsa === undefined ? {} : { signRsa }),
  };
}
