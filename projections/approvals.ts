import { placeAt, snapshotBehind } from '../application/ports/listSnapshot.ts';
import type { Kysely, Selectable } from 'kysely';
import type {
  ApprovalInbox,
  ApprovalSummary,
  OpenApprovals,
} from '../application/approval/ports/approvalInbox.ts';
import type { Database } from './database.ts';
import type { ListedTable } from './engine/snapshots.ts';
import { beginningOf, isBehind, isUpTo, newestRow } from './engine/snapshots.ts';
import type { ApprovalTable } from './models/approvals.ts';

const listed: ListedTable = { table: 'approval_view', time: 'requested_at', key: 'approval_id' };

/** Queries over approvals. */
export function createApprovalLists(database: Kysely<Database>): ApprovalInbox & OpenApprovals {
  return {
    async approvals({ status, requestedBy }, { limit, offset, snapshot: wished }) {
      const snapshot = wished ?? (await newestRow(database, listed));
      const beginning = beginningOf({ offset, snapshot });
      const selected = database
        .selectFrom('approval_view')
        .where(isUpTo(listed, snapshot))
        .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'PENDING'))
        .$if(requestedBy !== undefined, (query) =>
          query.where('requested_by', '=', requestedBy ?? ''),
        );
      const [rows, { total }] = await Promise.all([
        selected
          .selectAll()
          .where(isBehind(listed, beginning.after))
          .orderBy('requested_at', 'desc')
          .orderBy('approval_id', 'desc')
          .limit(limit)
          .offset(beginning.offset)
          .execute(),
        selected.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow(),
      ]);
      const last = rows.at(-1);
      const shown = last && placeAt(last.requested_at, last.approval_id);
      return {
        items: rows.map(toSummary),
        total: Number(total),
        snapshot: snapshotBehind(snapshot, offset + rows.length, shown),
      };
    },
    async overdue(expiredBefore, limit, after) {
      const rows = await database
        .selectFrom('approval_view')
        .select('approval_id')
        .where('status', 'in', ['PENDING', 'APPROVED'])
        .where('expires_at', '<=', expiredBefore)
        // A granted approval does not expire, unless it waits for its requester.
        .where(({ or, eb }) =>
          or([eb('status', '=', 'PENDING'), eb('execution', '=', 'BY_REQUESTER')]),
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
