import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Randomness } from '../../application/ports/randomness.ts';
import type { SessionTokens } from '../../application/ports/sessionTokens.ts';
import { deriveMasterKeys } from './encryption.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of 128 bits in base 62. */
const DIGITS = 22;
const PADDING = 2;
const TOKEN = /^[A-Za-z0-9]{24}$/;

export interface SessionTokensOptions {
  /** 32 bytes; every process of the installation has the same. */
  readonly masterKey: Uint8Array;
  readonly randomness: Randomness;
}

/**
 * Tokens made by encrypting the session's id, one AES block: any process decrypts the id, without a table that would
 * have to be projected first. One block of a random id needs no mode and no nonce.
 */
export function createSessionTokens({
  masterKey,
  randomness,
}: SessionTokensOptions): SessionTokens {
  const { sessionTokens: key } = deriveMasterKeys(masterKey);
  return {
    tokenFor: (sessionId) => {
      const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      const block = cipher.update(sessionId.replaceAll('-', ''), 'hex');
      return randomness.alphanumeric(PADDING) + toDigits(block);
    },
    sessionIdOf: (token) => {
      const block = TOKEN.test(token) ? fromDigits(token.slice(PADDING)) : null;
      if (block === null) return null;
      const cipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      const hex = cipher.update(block).toString('hex');
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    },
  };
}

function toDigits(block: Buffer): string {
  let rest = BigInt(`0x${block.toString('hex')}`);
  let digits = '';
  for (let place = 0; place < DIGITS; place += 1) {
    digits = (ALPHABET[Number(rest % 62n)] ?? '') + digits;
    rest /= 62n;
  }
  return digits;
}

/** Null when the number has more than 128 bits. */
function fromDigits(digits: string): Buffer | null {
  let number = 0n;
  for (const digit of digits) number = number * 62n + BigInt(ALPHABET.indexOf(digit));
  const hex = number.toString(16).padStart(32, '0');
  return hex.length === 32 ? Buffer.from(hex, 'hex') : null;
}
