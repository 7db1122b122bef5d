import type {
  VerificationFailure,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import type { VerificationStatus } from '../../domain/identityVerification/identityVerification.ts';

/** An identity verification as operators see it in a list. Times are ISO 8601. */
export interface IdentityVerificationView {
  readonly verificationId: string;
  readonly method: VerificationMethod;
  readonly status: VerificationStatus;
  /** `PNOMN-<civil id>` of whoever was verified; null: nobody was. */
  readonly personEtsi: string | null;
  /** Attempts begun. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly failure: VerificationFailure | null;
  readonly startedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
}

export interface IdentityVerificationFilter {
  /** Id of the verification, or whatever names a citizen; null: all. */
  readonly q: string | null;
  readonly method: VerificationMethod | null;
  readonly status: VerificationStatus | null;
}

/** Lists for operators, the latest first. */
export interface IdentityVerificationViews {
  identityVerifications(
    filter: IdentityVerificationFilter,
    part: { readonly limit: number; readonly offset: number },
  ): Promise<{
    readonly items: readonly IdentityVerificationView[];
    readonly total: number;
    readonly isTotalExact: boolean;
  }>;
}

export interface OverdueVerification {
  readonly verificationId: string;
  readonly expiresAt: string;
}

/** What the expiry sweep asks. */
export interface OverdueVerifications {
  /**
   * PENDING verifications whose time ended at or before `now`, oldest first.
   *
   * @param after continue behind this one
   */
  overdueVerifications(
    now: Date,
    limit: number,
    after: OverdueVerification | null,
  ): Promise<readonly OverdueVerification[]>;
}
