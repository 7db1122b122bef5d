import { createHash } from 'node:crypto';

/** Hash algorithms of a signed document's digest as G1 clients name them (`hashType`). */
export const hashTypes = ['SHA256', 'SHA384', 'SHA512'] as const;

export type HashType = (typeof hashTypes)[number];

/** Digest length in bytes for each hash algorithm. */
export const digestLength: Readonly<Record<HashType, number>> = {
  SHA256: 32,
  SHA384: 48,
  SHA512: 64,
};

/** SHA-256 of `data`, raw 32 bytes. */
export function sha256(data: Uint8Array | string): Buffer {
  return createHash('sha256').update(data).digest();
}

/** SHA-256 of `data` as lower-case hexadecimal. */
export function sha256Hex(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * The code a citizen compares between browser and phone: SHA-256 over the raw challenge (authentication) or the raw
 * digest (signature), last two bytes big-endian modulo 10000, padded to four digits (contract §2).
 */
export function verificationCode(challengeOrDigest: Uint8Array): string {
  const hash = sha256(challengeOrDigest);
  return String(hash.readUInt16BE(hash.length - 2) % 10000).padStart(4, '0');
}

/** `LP(x)`: a 4-byte big-endian length followed by x (specification, Client library rules). */
export function lengthPrefixed(bytes: Uint8Array): Buffer {
  const prefixed = Buffer.allocUnsafe(4 + bytes.length);
  prefixed.writeUInt32BE(bytes.length, 0);
  prefixed.set(bytes, 4);
  return prefixed;
}

const ACSP_V2 = lengthPrefixed(Buffer.from('ACSP_V2', 'utf8'));

/**
 * What the phone signs in a G1 authentication: `LP("ACSP_V2") ‖ LP(rpChallenge) ‖ LP(SPKI)`.
 *
 * @param challenge decoded rpChallenge bytes
 * @param spki the authentication key's SubjectPublicKeyInfo, DER
 */
export function acspV2Payload(challenge: Uint8Array, spki: Uint8Array): Buffer {
  return Buffer.concat([ACSP_V2, lengthPrefixed(challenge), lengthPrefixed(spki)]);
}
