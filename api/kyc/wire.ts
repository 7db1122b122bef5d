import type {
  VerificationView,
  VerifiedIdentity,
} from '../../application/identityVerification/verificationView.ts';

/** Response body of an identity verification. */
export function wireView({ verified, ...view }: VerificationView): object {
  return { ...view, verified: verified && wireVerified(verified) };
}

/** Response body of an enrolment token. */
export function wireVerified({ enrolmentToken, expiresAt, etsi }: VerifiedIdentity): object {
  return { enrolmentToken, expiresAt: expiresAt.toISOString(), etsi };
}
