import type { KeyObject } from 'node:crypto';
import { importPrivateKey } from './crypto.ts';
import type { PhoneState, PhoneStore } from './phoneStore.ts';
import { openKey } from './sealedKey.ts';
import type { PinName } from './session.ts';

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

const ATTEMPTS = 3;
const keyFor = { PIN1: 'authentication', PIN2: 'signing' } as const;

/**
 * Decrypts the private key of a PIN. A wrong PIN is counted, and the count written, before another
 * can be tried.
 *
 * @throws PinError
 */
export async function unlock(
  store: PhoneStore,
  state: PhoneState,
  { name, pin }: { readonly name: PinName; readonly pin: string },
): Promise<KeyObject> {
  const field = keyFor[name];
  const stored = state[field];
  if (stored.wrongPins >= ATTEMPTS) throw new PinError(name, 0);
  const wrongPins = stored.wrongPins + 1;
  const opened = await openKey(stored.sealed, pin);
  if (opened === null) {
    await store.save({ ...state, [field]: { ...stored, wrongPins } });
    throw new PinError(name, ATTEMPTS - wrongPins);
  }
  if (stored.wrongPins > 0) {
    await store.save({ ...state, [field]: { ...stored, wrongPins: 0 } });
  }
  return importPrivateKey(opened);
}
