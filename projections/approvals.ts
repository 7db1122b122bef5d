import type { Kysely, Selectable } from 'kysely';
import type {
  ApprovalInbox,
  ApprovalSummary,
  OpenApprovals,
} from '../application/ports/approvalInbox.ts';
import { approvalTopic } from '../application/ports/wake.ts';
import type { ApprovalEvent } from '../domain/approval/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { ApprovalRow, ApprovalTable, Database } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

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
export const approvalsReadModel = readModel<ApprovalRow, ApprovalEvent>({
  name: 'approvals',
  table: 'approval_view',
  category: 'approval',
  key: 'approval_id',
  columns: {
    approval_id: 'text',
    operation: 'text',
    execution: 'text',
    capability: 'text',
    subject: 'text',
    status: 'text',
    effects: 'jsonb',
    command_hash: 'text',
    requested_by: 'text',
    requested_at: 'timestamptz',
    expires_at: 'timestamptz',
    decided_by: 'text',
    decided_at: 'timestamptz',
    ended_at: 'timestamptz',
    code: 'text',
    revision: 'int8',
  },
  evolve,
  topics: ({ approval_id }) => [approvalTopic(approval_id)],
});

// Queries

/** Queries over approvals. */
export function createApprovalLists(database: Kysely<Database>): ApprovalInbox & OpenApprovals {
  return {
    async approvals({ status, requestedBy }, { limit, offset }) {
      const selected = database
        .selectFrom('approval_view')
        .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'PENDING'))
        .$if(requestedBy !== undefined, (query) =>
          query.where('requested_by', '=', requestedBy ?? ''),
        );
      const [rows, { total }] = await Promise.all([
        selected
          .selectAll()
          .orderBy('requested_at', 'desc')
          .orderBy('approval_id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute(),
        selected.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow(),
      ]);
      return { items: rows.map(toSummary), total: Number(total) };
    },
    async due(expiredBefore, limit, after) {
      const rows = await database
        .selectFrom('approval_view')
        .select('approval_id')
        .where('status', 'in', ['PENDING', 'APPROVED'])
        .where(({ and, or, eb }) =>
          or([
            and([eb('status', '=', 'APPROVED'), eb('execution', '=', 'AT_ONCE')]),
            eb('expires_at', '<=', expiredBefore),
          ]),
        )
        .$if(after !== null, (query) => query.where('approval_id', '>', after ?? ''))
        .orderBy('approval_id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.approval_id);
    },
  };
}

function toSummary(row: Selectable<ApprovalTable>): ApprovalSummary {
  return {
    approvalId: row.approval_id,
    operation: row.operation,
    capability: row.capability,
    subject: row.subject,
    status: row.status,
    effects: row.effects,
    commandHash: row.command_hash,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    code: row.code,
  };
}
