import { constants, verify } from 'node:crypto';
import { ValidationError } from '../errors.ts';
import type { AgreedAlgorithm } from './algorithms.ts';
import { isEcdsaOverDigest } from './ecdsaDigest.ts';
import { verifyPkcs1Digest, verifyPssDigest } from '../../infrastructure/pki/kernel/rsaDigest.ts';
import type { VerificationKey } from '../../infrastructure/pki/kernel/verificationKey.ts';

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
    if (key.family === 'RSA') {
      const verifyDigest = algorithm.scheme === 'pss' ? verifyPssDigest : verifyPkcs1Digest;
      return verifyDigest(key, { digest, hash: algorithm.name, signature });
    }
    return key.point !== null && isEcdsaOverDigest(digest, key.point, signature);
  });
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
