import type { IdentityVerificationStarted } from '../../../domain/identityVerification/events.ts';

/** Terms of a verification, fixed at its start. */
export type VerificationTerms = Omit<IdentityVerificationStarted['data'], 'secretHash'>;

/** Secrets that carry the terms of their verification, so that a start needs no event. */
export interface VerificationSecrets {
  /** Secret of a new verification, 43 characters of base64url. */
  issue(terms: VerificationTerms): string;
  /** Terms of a secret issued for this verification by this installation; null otherwise. */
  read(verificationId: string, secret: string): VerificationTerms | null;
}
