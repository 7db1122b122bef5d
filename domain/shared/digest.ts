import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Hash algorithms of a signed document's digest, by their names for G1 clients (`hashType`). */
export const hashTypes = ['SHA256', 'SHA384', 'SHA512'] as const;

export type HashType = (typeof hashTypes)[number];

/** All hash algorithms of signatures, by their OpenSSL names; nested requests add SHA-3. */
export const hashAlgorithms = [...hashTypes, 'SHA3-256', 'SHA3-384', 'SHA3-512'] as const;

export type HashAlgorithm = (typeof hashAlgorithms)[number];

/** Digest length in bytes for each hash algorithm. */
export const digestLength: Readonly<Record<HashAlgorithm, number>> = {
  SHA256: 32,
  SHA384: 48,
  SHA512: 64,
  'SHA3-256': 32,
  'SHA3-384': 48,
  'SHA3-512': 64,
};

/** SHA-256 of `data`, raw 32 bytes. */
export function sha256(data: Uint8Array | string): Buffer {
  return hash('sha256', data, 'buffer');
}

/** SHA-256 of `data` as lower-case hexadecimal. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** Forms of the verification code, by their names in `vc.type`: four digits, five digits. */
export const verificationCodeTypes = ['alphaNumeric4', 'alphaNumeric5'] as const;

export type VerificationCodeType = (typeof verificationCodeTypes)[number];

/**
 * Verification code, compared by the citizen between browser and phone: SHA-256 over the raw challenge (authentication)
 * or the raw digest (signature); of it the last two bytes, big-endian, modulo 10000 as four digits, or the last four
 * modulo 100000 as five (contract §2).
 */
export function verificationCode(
  challengeOrDigest: Uint8Array,
  type: VerificationCodeType = 'alphaNumeric4',
): string {
  const digest = sha256(challengeOrDigest);
  return type === 'alphaNumeric4'
    ? String(digest.readUInt16BE(30) % 10_000).padStart(4, '0')
    : String(digest.readUInt32BE(28) % 100_000).padStart(5, '0');
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
 * Signed payload of a G1 authentication: `LP("ACSP_V2") ‖ LP(rpChallenge) ‖ LP(SPKI)`.
 *
 * @param challenge decoded rpChallenge bytes
 * @param spki the authentication key's SubjectPublicKeyInfo, DER
 */
export function acspV2Payload(challenge: Uint8Array, spki: Uint8Array): Buffer {
  return Buffer.concat([ACSP_V2, lengthPrefixed(challenge), lengthPrefixed(spki)]);
}

/** HMAC-SHA-256 of UTF-8 text, raw 32 bytes. */
export function hmacSha256(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

/** Compares two secret texts in constant time. */
export function equalSecrets(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

/** A UUID of version 8 (RFC 9562 §5.8), the same for the same bytes. */
export function uuidFrom(content: Buffer): string {
  const bytes = sha256(content).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const lengths: readonly number[] = Object.values(digestLength);

/** @throws Error unless the length is that of SHA-256, SHA-384 or SHA-512: ECDSA would sign anything */
export function requireDigest(digest: Uint8Array): void {
  if (!lengths.includes(digest.length)) {
    throw new Error(`A digest has 32, 48 or 64 bytes, not ${digest.length}.`);
  }
}
