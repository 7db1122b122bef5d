import { constants, createHash, type KeyObject, publicDecrypt, timingSafeEqual } from 'node:crypto';

/** Hashes by the identifier in a trailer of two bytes (ISO/IEC 10118-3). */
const hashes: Readonly<Record<number, string>> = {
  0x33: 'sha1',
  0x34: 'sha256',
  0x35: 'sha512',
  0x36: 'sha384',
  0x38: 'sha224',
};

/** One-byte trailer: the hash is implicit, SHA-1 (Doc 9303-11 §6.1.2.2). */
const IMPLICIT = 0xbc;
const EXPLICIT = 0xcc;

/** Header of partial recovery without padding. */
const HEADER = 0x6a;

const SHORTEST_MODULUS = 1024;

/**
 * Verifies a signature with message recovery (ISO/IEC 9796-2, digital signature scheme 1) over a recovered message
 * part, which is discarded, followed by `sent`. Never throws. Accepts SHA-1 and RSA of 1024 bits, refused elsewhere:
 * chips support nothing else, and the signed challenge was random and is recent.
 */
export function isSignedWithRecovery(key: KeyObject, sent: Buffer, signature: Buffer): boolean {
  const recovered = recoveredFrom(key, signature);
  return recovered !== null && isRepresentativeOf(recovered, sent);
}

/**
 * Checks a message representative (`F` of Doc 9303-11 appendix F) of a recovered part followed by `sent`.
 *
 * @param representative header, recovered part, hash of the whole message, trailer
 */
export function isRepresentativeOf(representative: Buffer, sent: Buffer): boolean {
  const last = representative.at(-1);
  const hash = last === IMPLICIT ? 'sha1' : hashes[representative.at(-2) ?? 0];
  if (representative[0] !== HEADER || hash === undefined) return false;
  if (last !== IMPLICIT && last !== EXPLICIT) return false;
  const hashEnd = representative.length - (last === IMPLICIT ? 1 : 2);
  const hashStart = hashEnd - createHash(hash).digest().length;
  if (hashStart < 1) return false;
  const computed = createHash(hash)
    .update(representative.subarray(1, hashStart))
    .update(sent)
    .digest();
  return timingSafeEqual(computed, representative.subarray(hashStart, hashEnd));
}

/** Null for another key type, or a signature of another length. */
function recoveredFrom(key: KeyObject, signature: Buffer): Buffer | null {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < SHORTEST_MODULUS) return null;
  if (bits % 8 !== 0 || signature.length !== bits / 8) return null;
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return null;
  }
}
