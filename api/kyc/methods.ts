import type { IdentityProviders } from '../../application/ports/identityProvider.ts';
import type { VerificationMethod } from '../../domain/identityVerification/events.ts';

/** A way to verify an identity, and whether it can be gone here. */
export interface ListedMethod {
  readonly method: VerificationMethod;
  readonly available: boolean;
  /** Why it is not available: nobody configured it, or it was switched off. */
  readonly reason?: 'not_configured' | 'disabled';
}

const listed: readonly VerificationMethod[] = ['citizenCard', 'dan', 'gsign', 'passport'];

/** The ways to verify an identity for enrolment (specification, `GET /v3/kyc/methods`). */
export function listedMethods(providers: IdentityProviders): readonly ListedMethod[] {
  return listed.map((method) =>
    providers[method] === undefined
      ? // The civil registry is always there: without the method, somebody does not want it.
        {
          method,
          available: false,
          reason: method === 'citizenCard' ? 'disabled' : 'not_configured',
        }
      : { method, available: true },
  );
}
