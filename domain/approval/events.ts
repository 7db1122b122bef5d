import type { DomainEvent } from '../shared/decider.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';

// Storage format: see domain/session/events.ts.

/** Commands that need a second pair of eyes wherever four eyes are required (specification, Approval request). */
export const alwaysReviewed = [
  'certificate.revoke',
  'device.deactivate',
  'relyingParty.deactivate',
  'oidcClient.deactivate',
] as const;

/** Commands that need it there where the policy names them. */
export const reviewedWhenNamed = [
  'relyingParty.rotateSecret',
  'oidcClient.rotateSecret',
  'organization.revoke',
  'organization.issueSealCertificate',
  'operator.changeRole',
  'person.forget',
  'assistant.changePrompt',
  'assistant.changeKnowledge',
] as const;

export const sensitiveOperations = [...alwaysReviewed, ...reviewedWhenNamed] as const;

export type SensitiveOperationName = (typeof sensitiveOperations)[number];

/** A stream the command rests on, as it was when the command was asked for. */
export interface ApprovalTarget {
  readonly stream: string;
  /** Decimal revision of its last event; null: it did not exist. */
  readonly revision: string | null;
}

/** What the command changes, for who decides: a thing, its state before and after. */
export interface ApprovalEffect {
  readonly target: string;
  readonly before: string;
  readonly after: string;
}

export type ApprovalRequested = DomainEvent<
  'ApprovalRequested',
  {
    readonly approvalId: string;
    readonly operation: SensitiveOperationName;
    /** The exact command: canonical JSON (RFC 8785). */
    readonly command: string;
    /** SHA-256 of the command's UTF-8 bytes, lower-case hexadecimal. */
    readonly commandHash: string;
    /** What the operator who decides must be allowed. */
    readonly capability: string;
    /** Whom or what the command is about: serial, document number, UUID or ETSI identifier. */
    readonly subject: string;
    /** The person it is about, whose data the comment may hold; null: nobody. */
    readonly civilId: string | null;
    readonly effects: readonly ApprovalEffect[];
    readonly targets: readonly ApprovalTarget[];
    /** AT_ONCE: once it is granted. BY_REQUESTER: when the requester comes for the result. */
    readonly execution: 'AT_ONCE' | 'BY_REQUESTER';
    /** Why, in the requester's words. */
    readonly comment: string | null;
    /** An operator's id. */
    readonly requestedBy: string;
    readonly requestedAt: string;
    readonly expiresAt: string;
  }
>;

export type ApprovalGranted = DomainEvent<
  'ApprovalGranted',
  { readonly approvalId: string; readonly grantedBy: string; readonly grantedAt: string }
>;

export type ApprovalRejected = DomainEvent<
  'ApprovalRejected',
  {
    readonly approvalId: string;
    /** As in the request; null without a reason. */
    readonly civilId: string | null;
    readonly rejectedBy: string;
    /** Why; null: the person it was about is forgotten, so nothing more is kept of them. */
    readonly reason: string | null;
    readonly rejectedAt: string;
  }
>;

export type ApprovalExecuted = DomainEvent<
  'ApprovalExecuted',
  { readonly approvalId: string; readonly executedAt: string }
>;

/** It will never be executed. */
export type ApprovalFailed = DomainEvent<
  'ApprovalFailed',
  {
    readonly approvalId: string;
    /** The refusal's code, for example `APPROVAL_STALE`. */
    readonly code: string;
    readonly failedAt: string;
  }
>;

export type ApprovalExpired = DomainEvent<
  'ApprovalExpired',
  { readonly approvalId: string; readonly expiredAt: string }
>;

export type ApprovalEvent =
  | ApprovalRequested
  | ApprovalGranted
  | ApprovalRejected
  | ApprovalExecuted
  | ApprovalFailed
  | ApprovalExpired;

/** What operators write may name the person it is about. */
export const approvalPersonalData: PersonalData<ApprovalEvent> = {
  ApprovalRequested: {
    subject: ({ civilId }) => civilId,
    placeholders: { comment: FORGOTTEN },
  },
  ApprovalRejected: {
    subject: ({ civilId }) => civilId,
    placeholders: { reason: FORGOTTEN },
  },
};
