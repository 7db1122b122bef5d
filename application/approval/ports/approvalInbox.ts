import type { ApprovalStatus } from '../../../domain/approval/approval.ts';
import type { ListPart, HasSnapshot } from '../../ports/listSnapshot.ts';
import type { ApprovalEffect, SensitiveOperationName } from '../../../domain/approval/events.ts';

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
  /** Time of execution, failure or expiry. */
  readonly endedAt: string | null;
  /** Of a failed one. */
  readonly code: string | null;
}

/** Filter of a list of approvals; absent fields do not filter. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  /** An operator's id. */
  readonly requestedBy?: string | undefined;
  /** Target of the command. */
  readonly subject?: string | undefined;
  /** Pending, asked for by another than the operator, and of one of these capabilities. */
  readonly decidable?:
    { readonly by: string; readonly capabilities: readonly string[] } | undefined;
  /** Concerning one of these things, or certificates and phones of one of these citizens, or asked for by one of them. */
  readonly about?:
    { readonly ids: readonly string[]; readonly civilIds: readonly string[] } | undefined;
}

/** Pending and past decisions of operators. */
export interface ApprovalInbox {
  /** The newest first unless sorted. */
  approvals(
    filter: ApprovalFilter,
    page: ListPart,
  ): Promise<
    HasSnapshot & {
      readonly items: readonly ApprovalSummary[];
      readonly total: number;
      readonly isTotalExact: boolean;
    }
  >;
}

/** Approvals that are neither decided nor carried out. */
export interface PendingApprovals {
  /**
   * Id of one for the same command (`commandHash`: SHA-256, lower-case hexadecimal), or with `ANY` of any of this operation
   * on this subject; null: there is none.
   */
  pending(
    asked: Pick<ApprovalSummary, 'operation' | 'subject' | 'commandHash'>,
    which: 'SAME' | 'ANY',
  ): Promise<string | null>;
}

/** Approvals that time ends. */
export interface OpenApprovals {
  /**
   * Ids of approvals neither decided nor collected by `expiredBefore`, ascending.
   *
   * @param after the last id of the page before
   */
  overdue(expiredBefore: Date, limit: number, after: string | null): Promise<readonly string[]>;
}
