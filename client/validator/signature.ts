import { constants, publicDecrypt, verify } from 'node:crypto';
import { ValidationError } from '../errors.ts';
import type { AgreedAlgorithm } from './algorithms.ts';
import { isEcdsaOverDigest } from './ecdsaDigest.ts';
import type { VerificationKey } from './keys.ts';
import { isPssEncodingOf } from './pss.ts';

/** A signature with its key and algorithm. */
export interface SignatureToCheck {
  readonly key: VerificationKey;
  readonly algorithm: AgreedAlgorithm;
  readonly signature: Buffer;
}

/**
 * Checks a signature over `payload`, hashed with the algorithm's hash.
 *
 * @throws ValidationError SIGNATURE_INVALID
 */
export function checkPayloadSignature(check: SignatureToCheck, payload: Buffer): void {
  const { key, algorithm, signature } = check;
  const options =
    algorithm.scheme === 'pss'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.length }
      : {};
  expectValid(() => verify(algorithm.name, payload, { key: key.key, ...options }, signature));
}

/**
 * Checks a signature over the digest itself, which is not hashed again.
 *
 * @param digest raw, 32, 48 or 64 bytes
 * @throws ValidationError SIGNATURE_INVALID
 */
export function checkDigestSignature(check: SignatureToCheck, digest: Buffer): void {
  const { key, algorithm, signature } = check;
  expectValid(() => {
    if (key.family === 'RSA') return isRsaOverDigest(key, algorithm, digest, signature);
    return key.point !== null && isEcdsaOverDigest(digest, key.point, signature);
  });
}

/** DER prefixes of DigestInfo (RFC 8017 §9.2 note 1). */
const digestInfoPrefix: Readonly<Record<string, Buffer>> = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha384: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
};

function isRsaOverDigest(
  { key, bits }: Extract<VerificationKey, { family: 'RSA' }>,
  algorithm: AgreedAlgorithm,
  digest: Buffer,
  signature: Buffer,
): boolean {
  const prefix = digestInfoPrefix[algorithm.name];
  if (algorithm.length !== digest.length) return false;
  if (algorithm.scheme === 'pss') {
    const encoded = publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
    return isPssEncodingOf(digest, encoded, bits, {
      hash: algorithm.name,
      saltLength: algorithm.length,
    });
  }
  if (prefix === undefined) return false;
  // Compares the whole block byte for byte: parsing it enables Bleichenbacher's signature forgery.
  return publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature).equals(
    Buffer.concat([prefix, digest]),
  );
}

/** Treats an error of OpenSSL as invalid: it throws on signatures of a wrong length. */
function expectValid(check: () => boolean): void {
  let valid = false;
  try {
    valid = check();
  } catch {
    // Invalid.
  }
  if (!valid) throw new ValidationError('SIGNATURE_INVALID', 'The signature does not verify.');
}
