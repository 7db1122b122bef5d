import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../ports/randomness.ts';

/**
 * Login challenges for citizens to sign. Each is bound to its login, so that an answer cannot be used for another
 * (login fixation), and need not be stored.
 */
export interface LoginChallenges {
  /** Base64 of 48 bytes, unique. @param login what it is bound to: the interaction, and what it authorizes */
  make(login: string): string;
  /** Verifies that `make(login)` created it. */
  isOf(login: string, challenge: string): boolean;
}

const NONCE_BYTES = 16;

export function createLoginChallenges({
  key,
  randomness,
}: {
  readonly key: KeyObject;
  readonly randomness: Randomness;
}): LoginChallenges {
  const tagOf = (login: string, nonce: Uint8Array) =>
    createHmac('sha256', key).update(nonce).update(login).digest();
  return {
    make: (login) => {
      const nonce = randomness.bytes(NONCE_BYTES);
      return Buffer.concat([nonce, tagOf(login, nonce)]).toString('base64');
    },
    isOf: (login, challenge) => {
      const bytes = Buffer.from(challenge, 'base64');
      const expected = tagOf(login, bytes.subarray(0, NONCE_BYTES));
      const tag = bytes.subarray(NONCE_BYTES);
      return tag.length === expected.length && timingSafeEqual(tag, expected);
    },
  };
}
