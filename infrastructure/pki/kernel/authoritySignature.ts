import type { CertificateDetails, CertificateSignature } from './certificate.ts';
import { isSignedBy, signatureScheme } from './statedSignature.ts';
import { importAuthorityKey, type VerificationKey } from './verificationKey.ts';

/**
 * Verifies the signature of a certificate, revocation list or OCSP response with `key` (RFC 5280
 * §6.1.3 (a)(1), §6.3.3 (g)). Stricter than {@link isSignedBy}, which passports need.
 *
 * @returns false also when the algorithm is unknown, broken, SHA-224, RSA-PSS with an unusual salt,
 *   or unsuitable for the key
 */
export function isSignedByKey(
  { signed, algorithm, signature }: CertificateSignature,
  authority: VerificationKey,
): boolean {
  try {
    const { key } = authority;
    const scheme = signatureScheme(algorithm, null);
    if (scheme === null || scheme.hash === 'sha224') return false;
    if (scheme.kind === 'rsa-pss' && !scheme.isUsual) return false;
    return isSignedBy(key, scheme, signed, signature);
  } catch {
    return false;
  }
}

/** The same with the key in a certificate; false also for a key that {@link importAuthorityKey} refuses. */
export function isSignedByAuthority(
  signature: CertificateSignature,
  { spki }: Pick<CertificateDetails, 'spki'>,
): boolean {
  const key = importAuthorityKey(spki);
  return key !== null && isSignedByKey(signature, key);
}
