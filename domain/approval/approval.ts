import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import { BREAK_GLASS } from '../shared/operatorIdentities.ts';
import type { ApprovalEvent, ApprovalRequested } from './events.ts';

// State

export const approvalStatuses = [
  'PENDING',
  'APPROVED',
  'REJECTED',
  'EXECUTED',
  'FAILED',
  'EXPIRED',
] as const;

/** APPROVED: granted and not executed yet. */
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** An operator's decision. */
export interface Decision {
  readonly by: string;
  readonly at: string;
  /** Of a rejection. */
  readonly reason: string | null;
}

export interface AskedApproval {
  readonly status: ApprovalStatus;
  readonly requested: ApprovalRequested['data'];
  /** The first of two approvals; null: none yet, or one is enough. */
  readonly endorsement: Decision | null;
  readonly decision: Decision | null;
  /** Time of execution, failure or expiry. */
  readonly endedAt: string | null;
  /** Refusal code of a failed one. */
  readonly code: string | null;
}

export type Approval = { readonly status: 'NONE' } | AskedApproval;

/**
 * Number of operators who must approve what this one asked for. Whoever has the break-glass key may be an operator, too:
 * with one approval of their own account they would have decided alone.
 */
export function approvalsNeeded(requester: string): 1 | 2 {
  return requester === BREAK_GLASS ? 2 : 1;
}

const initial: Approval = { status: 'NONE' };

function evolve(approval: Approval, event: ApprovalEvent): Approval {
  if (event.type === 'ApprovalRequested') {
    const requested = event.data;
    const open = { endorsement: null, decision: null, endedAt: null, code: null };
    return { status: 'PENDING', requested, ...open };
  }
  if (approval.status === 'NONE') return approval;
  switch (event.type) {
    case 'ApprovalEndorsed': {
      const { endorsedBy: by, endorsedAt: at } = event.data;
      return { ...approval, endorsement: { by, at, reason: null } };
    }
    case 'ApprovalGranted': {
      const { grantedBy: by, grantedAt: at } = event.data;
      return { ...approval, status: 'APPROVED', decision: { by, at, reason: null } };
    }
    case 'ApprovalRejected': {
      const { rejectedBy: by, rejectedAt: at, reason } = event.data;
      return { ...approval, status: 'REJECTED', decision: { by, at, reason } };
    }
    case 'ApprovalExecuted':
      return { ...approval, status: 'EXECUTED', endedAt: event.data.executedAt };
    case 'ApprovalFailed': {
      const { code, failedAt } = event.data;
      return { ...approval, status: 'FAILED', code, endedAt: failedAt };
    }
    case 'ApprovalExpired':
      return { ...approval, status: 'EXPIRED', endedAt: event.data.expiredAt };
    default:
      return unreachable(event);
  }
}

// Commands

export type ApprovalCommand =
  | { readonly type: 'RequestApproval'; readonly requested: ApprovalRequested['data'] }
  | { readonly type: 'GrantApproval'; readonly by: string; readonly now: string }
  | {
      readonly type: 'RejectApproval';
      readonly by: string;
      readonly reason: string | null;
      readonly now: string;
    }
  | { readonly type: 'RecordExecution'; readonly now: string }
  /** @property code refusal of the command, actual or predicted */
  | { readonly type: 'RecordFailure'; readonly code: string; readonly now: string }
  /** Records a failure of an undecided approval; ignored after a decision. */
  | { readonly type: 'FailUndecided'; readonly code: string; readonly now: string }
  | { readonly type: 'ExpireApproval'; readonly now: string };

// Decisions

function decide(command: ApprovalCommand, approval: Approval): readonly ApprovalEvent[] {
  if (command.type === 'RequestApproval') {
    if (approval.status !== 'NONE') throw new Refusal('CONFLICT');
    return [{ type: 'ApprovalRequested', data: command.requested }];
  }
  if (approval.status === 'NONE') throw new Refusal('APPROVAL_NOT_FOUND');
  return command.type === 'GrantApproval' || command.type === 'RejectApproval'
    ? decideAbout(command, approval)
    : end(command, approval);
}

type Judgement = Extract<ApprovalCommand, { readonly by: string }>;

function decideAbout(command: Judgement, approval: AskedApproval): readonly ApprovalEvent[] {
  if (!isOpenTo(command, approval)) return [];
  const { approvalId, civilId, requestedBy } = approval.requested;
  const { by, now } = command;
  if (command.type === 'GrantApproval') {
    if (approvalsNeeded(requestedBy) === 2 && approval.endorsement === null) {
      return [{ type: 'ApprovalEndorsed', data: { approvalId, endorsedBy: by, endorsedAt: now } }];
    }
    return [{ type: 'ApprovalGranted', data: { approvalId, grantedBy: by, grantedAt: now } }];
  }
  const { reason } = command;
  const subject = reason === null ? null : civilId;
  return [
    {
      type: 'ApprovalRejected',
      data: { approvalId, civilId: subject, rejectedBy: by, reason, rejectedAt: now },
    },
  ];
}

function end(
  command: Exclude<ApprovalCommand, Judgement | { readonly type: 'RequestApproval' }>,
  approval: AskedApproval,
): readonly ApprovalEvent[] {
  const { approvalId } = approval.requested;
  const { now } = command;
  switch (command.type) {
    case 'RecordExecution':
      if (approval.status === 'EXECUTED') return [];
      if (approval.status !== 'APPROVED') throw new Refusal('CONFLICT');
      return [{ type: 'ApprovalExecuted', data: { approvalId, executedAt: now } }];
    case 'RecordFailure':
      return fail(command.code, now, approval);
    case 'FailUndecided':
      return approval.status === 'PENDING' ? fail(command.code, now, approval) : [];
    case 'ExpireApproval':
      return isDue(approval, now)
        ? [{ type: 'ApprovalExpired', data: { approvalId, expiredAt: now } }]
        : [];
    default:
      return unreachable(command);
  }
}

/**
 * True while undecided; false: a repetition of this operator's own decision.
 *
 * @throws Refusal ErrSelfApproval, APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_STALE
 */
function isOpenTo(
  { type, by, now }: Judgement,
  { status, requested, endorsement, decision }: AskedApproval,
): boolean {
  if (by === requested.requestedBy) throw new Refusal('ErrSelfApproval');
  if (status === 'PENDING') {
    if (now >= requested.expiresAt) throw new Refusal('APPROVAL_EXPIRED');
    return type === 'RejectApproval' || endorsement?.by !== by;
  }
  if (decision !== null) {
    const isGranted = status !== 'REJECTED';
    if (decision.by === by && isGranted === (type === 'GrantApproval')) return false;
    throw new Refusal('APPROVAL_DECIDED');
  }
  throw new Refusal(status === 'FAILED' ? 'APPROVAL_STALE' : 'APPROVAL_EXPIRED');
}

function fail(code: string, failedAt: string, approval: AskedApproval): readonly ApprovalEvent[] {
  switch (approval.status) {
    case 'PENDING':
    case 'APPROVED': {
      const { approvalId } = approval.requested;
      return [{ type: 'ApprovalFailed', data: { approvalId, code, failedAt } }];
    }
    case 'FAILED':
      return [];
    default:
      throw new Refusal('CONFLICT');
  }
}

/** True for an expired request; a granted one expires only while it waits for its requester. */
function isDue({ status, requested }: AskedApproval, now: string): boolean {
  const waits =
    status === 'PENDING' || (status === 'APPROVED' && requested.execution === 'BY_REQUESTER');
  return waits && now >= requested.expiresAt;
}

/**
 * The approval aggregate: requested once, decided once by another operator (by two where the break-glass key asked),
 * executed once. Stream `approval-<uuid>`.
 */
export const approvalDecider: Decider<Approval, ApprovalCommand, ApprovalEvent> = {
  initial,
  evolve,
  decide,
};
