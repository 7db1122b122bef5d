import type { X509Certificate } from 'node:crypto';
import type { CallOptions } from '../callOptions.ts';
import { ValidationError } from '../errors.ts';

/** What an issuer says of its certificate. */
export type RevocationStatus = 'good' | 'revoked' | 'unknown';

/**
 * Asks the certificate's status at its issuer, for example by OCSP. Throwing means unknown.
 *
 * @param issuer null in untrusted mode, when no issuer is known
 * @param options handed on from `checkRevocation`; a checker that waits for the network heeds its `signal`
 */
export type RevocationChecker = (
  certificate: X509Certificate,
  issuer: X509Certificate | null,
  options?: CallOptions,
) => Promise<RevocationStatus>;

/** `hard-fail`: no clear answer counts as revoked; `soft-fail`: only a clear "revoked" does. */
export type RevocationMode = 'hard-fail' | 'soft-fail';

export interface RevocationPolicy extends CallOptions {
  readonly checker: RevocationChecker;
  readonly mode: RevocationMode;
}

/**
 * Asks the checker and decides what its answer means.
 *
 * @throws ValidationError REVOKED, or REVOCATION_UNKNOWN in hard-fail mode
 * @throws the signal's reason when it is aborted: no answer was waited for, so soft-fail has nothing to excuse
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
