import type { IdentityProviders } from '../../application/ports/identityProvider.ts';
import type { VerificationMethod } from '../../domain/identityVerification/events.ts';

/** A way to verify an identity, and whether it can be gone here. */
export interface ListedMethod {
  readonly method: VerificationMethod;
  readonly available: boolean;
  /** Why it is not available. */
  readonly reason?: 'not_configured';
}

const listed: readonly VerificationMethod[] = ['citizenCard', 'dan', 'gsign', 'passport'];

/** The ways to verify an identity for enrolment (specification, `GET /v3/kyc/methods`). */
export function listedMethods(providers: IdentityProviders): readonly ListedMethod[] {
  return listed.map((method) =>
    providers[method] === undefined
      ? { method, available: false, reason: 'not_configured' }
      : { method, available: true },
  );
}
