import type { ApprovalStatus } from '../../domain/approval/approval.ts';
import type { ApprovalEffect, SensitiveOperationName } from '../../domain/approval/events.ts';

/** An approval as lists show it: without what operators wrote. */
export interface ApprovalSummary {
  readonly approvalId: string;
  readonly operation: SensitiveOperationName;
  readonly capability: string;
  readonly subject: string;
  readonly status: ApprovalStatus;
  readonly effects: readonly ApprovalEffect[];
  readonly commandHash: string;
  readonly requestedBy: string;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** The operator who granted or rejected it. */
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  /** When it was executed, failed or expired. */
  readonly endedAt: string | null;
  /** Of a failed one. */
  readonly code: string | null;
}

/** Which approvals a list shows; what is absent narrows nothing. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  /** An operator's id. */
  readonly requestedBy?: string | undefined;
}

/** What operators are asked to decide, and were. */
export interface ApprovalInbox {
  /** The newest first. */
  approvals(
    filter: ApprovalFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly ApprovalSummary[]; readonly total: number }>;
}

/** What the clock and the log ask to be done. */
export interface OpenApprovals {
  /**
   * Granted ones that nobody has to come for, and those not ended by `expiredBefore`, by id.
   *
   * @param after the last id of the page before
   */
  due(expiredBefore: Date, limit: number, after: string | null): Promise<readonly string[]>;
}
