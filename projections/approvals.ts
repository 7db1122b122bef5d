import { placeAt, snapshotBehind } from '../application/ports/listSnapshot.ts';
import type { Kysely } from 'kysely';
import type { ApprovalInbox, OpenApprovals } from '../application/approval/ports/approvalInbox.ts';
import type { Database } from './database.ts';
import { columnsBut, records } from './engine/readModel.ts';
import type { ListedTable } from './engine/snapshots.ts';
import { beginningOf, isBehind, isUpTo, newestRow } from './engine/snapshots.ts';
import { approvalsReadModel } from './models/approvals.ts';

const listed: ListedTable = { table: 'approval_view', time: 'requested_at', key: 'approval_id' };

const shown = columnsBut(approvalsReadModel, 'execution', 'revision');
const toSummary = records(shown);

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
          .select(shown)
          .where(isBehind(listed, beginning.after))
          .orderBy('requested_at', 'desc')
          .orderBy('approval_id', 'desc')
          .limit(limit)
          .offset(beginning.offset)
          .execute(),
        selected.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow(),
      ]);
      const last = rows.at(-1);
      const place = last && placeAt(last.requested_at, last.approval_id);
      return {
        items: rows.map(toSummary),
        total: Number(total),
        snapshot: snapshotBehind(snapshot, offset + rows.length, place),
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
