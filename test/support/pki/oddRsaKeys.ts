import { createPrivateKey, generatePrime, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const newPrime = promisify(generatePrime) as unknown as (
  bits: number,
  options: { readonly bigint: true },
) => Promise<bigint>;

const EXPONENT = 65_537n;

/**
 * Generates an RSA private key whose modulus has an odd number of bits. Such keys exist, but
 * OpenSSL generates 4094 bits when asked for 4095, so the numbers are computed here (RFC 8017
 * §3.2).
 */
export async function newOddRsaKey(bits: number): Promise<KeyObject> {
  for (;;) {
    const [p, q] = await Promise.all([
      newPrime(Math.ceil(bits / 2), { bigint: true }),
      newPrime(Math.floor(bits / 2), { bigint: true }),
    ]);
    const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
    const n = p * q;
    if (d === null || n.toString(2).length !== bits) continue;
    const numbers = { n, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n) };
    const qi = inverse(q, p) ?? 0n;
    const members = Object.entries({ ...numbers, qi }).map(([name, value]) => [name, text(value)]);
    return createPrivateKey({
      key: { kty: 'RSA', ...Object.fromEntries(members) } as JsonWebKey,
      format: 'jwk',
    });
  }
}

/** Inverse of `a` modulo `m` by the extended Euclidean algorithm; null when there is none. */
function inverse(a: bigint, m: bigint): bigint | null {
  let [r, next] = [m, a % m];
  let [t, following] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, following] = [following, t - quotient * following];
  }
  if (r !== 1n) return null;
  return t < 0n ? t + m : t;
}

/** Base64url of the big-endian bytes. */
function text(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
