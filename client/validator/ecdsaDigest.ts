import { p256 } from '@noble/curves/nist.js';

/**
 * Verifies an ECDSA P-256 signature over a digest. Node.js has no call for it: it hashes whatever
 * it verifies (ADR 11).
 *
 * @param digest 32 bytes or more; the leftmost 32 count (FIPS 186-5 §6.4.2)
 * @param point the public key, uncompressed
 * @param signature DER; s may be high (FIPS 186-5 has no rule against it)
 */
export function isEcdsaOverDigest(digest: Buffer, point: Buffer, signature: Buffer): boolean {
  try {
    return p256.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' });
  } catch {
    return false;
  }
}
