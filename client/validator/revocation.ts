import type { X509Certificate } from 'node:crypto';
import type { CallOptions } from '../callOptions.ts';
import { ValidationError } from '../errors.ts';

/** Revocation status of a certificate. */
export type RevocationStatus = 'good' | 'revoked' | 'unknown';

/**
 * Asks the issuer for a certificate's status, for example by OCSP. Throwing means unknown.
 *
 * @param issuer null in untrusted mode, when no issuer is known
 * @param options passed on from `checkRevocation`; a checker that uses the network respects its
 * `signal`
 */
export type RevocationChecker = (
  certificate: X509Certificate,
  issuer: X509Certificate | null,
  options?: CallOptions,
) => Promise<RevocationStatus>;

/**
 * Revocation policy: `hard-fail`: an unknown status counts as revoked; `soft-fail`: only a clear
 * "revoked" does.
 */
export type RevocationMode = 'hard-fail' | 'soft-fail';

export interface RevocationPolicy extends CallOptions {
  readonly checker: RevocationChecker;
  readonly mode: RevocationMode;
}

/**
 * Asks the checker and applies the revocation policy.
 *
 * @throws ValidationError REVOKED, or REVOCATION_UNKNOWN in hard-fail mode
 * @throws the signal's reason when it is aborted, in soft-fail mode, too
 */
export async function enforceRevocation(
  certificate: X509Certificate,
  issuer: X509Certificate | null,
  { checker, mode, signal }: RevocationPolicy,
): Promise<void> {
  let status: RevocationStatus = 'unknown';
  let cause: unknown;
  signal?.throwIfAborted();
  try {
    status = await checker(certificate, issuer, { signal });
  } catch (error) {
    cause = error;
  }
  signal?.throwIfAborted();
  if (status === 'revoked') throw new ValidationError('REVOKED', 'The certificate is revoked.');
  if (status !== 'good' && mode === 'hard-fail') {
    throw new ValidationError(
      'REVOCATION_UNKNOWN',
      'The revocation status of the certificate is not known.',
      cause,
    );
  }
}
