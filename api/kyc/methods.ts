import type { IdentityProviders } from '../../application/identityVerification/ports/identityProvider.ts';
import type { VerificationMethod } from '../../domain/identityVerification/events.ts';

/** A method of identity proofing and its availability. */
export interface ListedMethod {
  readonly method: VerificationMethod;
  readonly available: boolean;
  /** Reason of unavailability: not configured, or disabled. */
  readonly reason?: 'not_configured' | 'disabled';
}

const listed: readonly VerificationMethod[] = ['citizenCard', 'dan', 'gsign', 'passport'];

/** Methods of identity proofing for enrolment (specification, `GET /v3/kyc/methods`). */
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
