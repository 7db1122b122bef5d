import { approvalTopic } from '../../domain/shared/streams.ts';
import type { ApprovalStatus } from '../../domain/approval/approval.ts';
import {
  type ApprovalEvent,
  approvalEvents,
  type ApprovalRequested,
} from '../../domain/approval/events.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import {
  int8,
  jsonb,
  nullable,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
} from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  approval_id: text(),
  operation: text<ApprovalRequested['data']['operation']>(),
  execution: text<ApprovalRequested['data']['execution']>(),
  capability: text(),
  subject: text(),
  status: text<ApprovalStatus>(),
  effects: jsonb<ApprovalRequested['data']['effects']>(),
  /** SHA-256 of the command, lower-case hexadecimal. */
  command_hash: text(),
  requested_by: text(),
  requested_at: timestamptz(),
  expires_at: timestamptz(),
  /** Operator who granted or rejected it. */
  decided_by: nullable(text()),
  decided_at: nullable(timestamptz()),
  /** Time of execution, failure or expiry. */
  ended_at: nullable(timestamptz()),
  /** Of a failed one: the refusal's code. */
  code: nullable(text()),
  revision: int8(),
};

/** A request for approval, without what operators wrote. */
export type ApprovalRow = RowOf<typeof columns>;
export type ApprovalTable = TableOf<typeof columns>;

function evolve(row: ApprovalRow | undefined, event: ApprovalEvent): ApprovalRow | undefined {
  if (event.type === 'ApprovalRequested') {
    const { data } = event;
    return {
      approval_id: data.approvalId,
      operation: data.operation,
      execution: data.execution,
      capability: data.capability,
      subject: data.subject,
      status: 'PENDING',
      effects: data.effects,
      command_hash: data.commandHash,
      requested_by: data.requestedBy,
      requested_at: data.requestedAt,
      expires_at: data.expiresAt,
      decided_by: null,
      decided_at: null,
      ended_at: null,
      code: null,
      revision: 0n,
    };
  }
  return row === undefined ? undefined : change(row, event);
}

function change(
  row: ApprovalRow,
  event: Exclude<ApprovalEvent, { type: 'ApprovalRequested' }>,
): ApprovalRow {
  switch (event.type) {
    case 'ApprovalEndorsed':
      return row;
    case 'ApprovalGranted': {
      const { grantedBy, grantedAt } = event.data;
      return { ...row, status: 'APPROVED', decided_by: grantedBy, decided_at: grantedAt };
    }
    case 'ApprovalRejected': {
      const { rejectedBy, rejectedAt } = event.data;
      return { ...row, status: 'REJECTED', decided_by: rejectedBy, decided_at: rejectedAt };
    }
    case 'ApprovalExecuted':
      return { ...row, status: 'EXECUTED', ended_at: event.data.executedAt };
    case 'ApprovalFailed':
      return { ...row, status: 'FAILED', code: event.data.code, ended_at: event.data.failedAt };
    case 'ApprovalExpired':
      return { ...row, status: 'EXPIRED', ended_at: event.data.expiredAt };
    default:
      return unreachable(event);
  }
}

/** The approvals read model, table `approval_view`. */
export const approvalsReadModel = readModel({
  name: 'approvals',
  table: 'approval_view',
  events: approvalEvents,
  key: 'approval_id',
  columns,
  shown: [
    'operation',
    'subject',
    'status',
    'effects',
    'requested_by',
    'expires_at',
    'decided_by',
    'ended_at',
    'code',
  ],
  evolve,
  topics: ({ approval_id }) => [approvalTopic(approval_id)],
});
