import type { ListPart, HasSnapshot } from '../../ports/listSnapshot.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../../../domain/identityVerification/events.ts';
import type { VerificationStatus } from '../../../domain/identityVerification/identityVerification.ts';

/** An identity verification in operators' lists. Times are ISO 8601. */
export interface IdentityVerificationView {
  readonly verificationId: string;
  readonly method: VerificationMethod;
  readonly status: VerificationStatus;
  /** `PNOMN-<civil id>` of the verified person; null: none. */
  readonly personEtsi: string | null;
  /** Number of attempts. */
  readonly attempts: number;
  /** Reason of the last failed attempt. */
  readonly failure: VerificationFailure | null;
  readonly startedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
}

export interface IdentityVerificationFilter {
  /** Id of the verification, or an identifier of a citizen; null: all. */
  readonly q: string | null;
  readonly method: VerificationMethod | null;
  readonly status: VerificationStatus | null;
}

/** Lists for operators, the latest first. */
export interface IdentityVerificationViews {
  identityVerifications(
    filter: IdentityVerificationFilter,
    part: ListPart,
  ): Promise<
    HasSnapshot & {
      readonly items: readonly IdentityVerificationView[];
      readonly total: number;
      readonly isTotalExact: boolean;
    }
  >;
}

export interface OverdueVerification {
  readonly verificationId: string;
  readonly expiresAt: string;
}

/** Query of the expiry sweep. */
export interface OverdueVerifications {
  /**
   * PENDING verifications past their deadline at `now`, oldest first.
   *
   * @param after last one of the previous page
   */
  overdueVerifications(
    now: Date,
    limit: number,
    after: OverdueVerification | null,
  ): Promise<readonly OverdueVerification[]>;
}
