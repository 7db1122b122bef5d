import type {
  VerificationView,
  VerifiedIdentity,
} from '../../application/identityVerification/verificationView.ts';

/** An identity verification as it is answered. */
export function wireView({ verified, ...view }: VerificationView): object {
  return { ...view, verified: verified && wireVerified(verified) };
}

/** An enrolment token as it is answered. */
export function wireVerified({ enrolmentToken, expiresAt, etsi }: VerifiedIdentity): object {
  return { enrolmentToken, expiresAt: expiresAt.toISOString(), etsi };
}
