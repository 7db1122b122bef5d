import type { CertificateSignature } from '../../infrastructure/pki/kernel/certificateSignature.ts';
import {
  isSignedBy as verifies,
  signatureScheme,
} from '../../infrastructure/pki/kernel/statedSignature.ts';
import type { VerificationKey } from './keys.ts';

/**
 * Verifies the signature of a certificate, CRL or OCSP response with `key`; false also when the
 * algorithm is unknown, broken, unusual, or unsuitable for the key.
 */
export function isSignedBy(
  { signed, algorithm, signature }: CertificateSignature,
  { key }: VerificationKey,
): boolean {
  try {
    const scheme = signatureScheme(algorithm, null);
    if (scheme === null || scheme.hash === 'sha224') return false;
    if (scheme.kind === 'rsa-pss' && !scheme.isUsual) return false;
    return verifies(key, scheme, signed, signature);
  } catch {
    return false;
  }
}
