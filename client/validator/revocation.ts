import type { X509Certificate } from 'node:crypto';
import { ValidationError } from '../errors.ts';

export type RevocationStatus = 'good' | 'revoked' | 'unknown';

/**
 * Asks the certificate's status at its issuer, for example by OCSP. Throwing means unknown.
 *
 * @param issuer null in untrusted mode, when no issuer is known
 */
export type RevocationChecker = (
  certificate: X509Certificate,
  issuer: X509Certificate | null,
) => Promise<RevocationStatus>;

/** `hard-fail`: no clear answer counts as revoked; `soft-fail`: only a clear "revoked" does. */
export type RevocationMode = 'hard-fail' | 'soft-fail';

/** @throws ValidationError REVOKED, or REVOCATION_UNKNOWN in hard-fail mode */
export async function enforceRevocation(
  certificate: X509Certificate,
  issuer: X509Certificate | null,
  { checker, mode }: { readonly checker: RevocationChecker; readonly mode: RevocationMode },
): Promise<void> {
  let status: RevocationStatus = 'unknown';
  let cause: unknown;
  try {
    status = await checker(certificate, issuer);
  } catch (error) {
    cause = error;
  }
  if (status === 'revoked') throw new ValidationError('REVOKED', 'The certificate is revoked.');
  if (status !== 'good' && mode === 'hard-fail') {
    throw new ValidationError(
      'REVOCATION_UNKNOWN',
      'The revocation status of the certificate is not known.',
      cause,
    );
  }
}
