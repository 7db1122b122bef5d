import { placeAt, snapshotBehind } from '../application/ports/listSnapshot.ts';
import { type Kysely, sql } from 'kysely';
import type {
  ApprovalFilter,
  ApprovalInbox,
  OpenApprovals,
  PendingApprovals,
} from '../application/approval/ports/approvalInbox.ts';
import type { Database } from './database.ts';
import { columnsBut, records } from './engine/readModel.ts';
import type { ListedTable } from './engine/snapshots.ts';
import { beginningOf, isBehind, isUpTo, newestRow } from './engine/snapshots.ts';
import { approvalsReadModel } from './models/approvals.ts';

const listed: ListedTable = { table: 'approval_view', time: 'requested_at', key: 'approval_id' };

const shown = columnsBut(approvalsReadModel, 'execution', 'revision');
const toSummary = records(shown);

/** Queries over approvals. */
export function createApprovalLists(
  database: Kysely<Database>,
): ApprovalInbox & OpenApprovals & PendingApprovals {
  return {
    async approvals(filter, { limit, offset, snapshot: wished }) {
      const snapshot = wished ?? (await newestRow(database, listed));
      const beginning = beginningOf({ offset, snapshot });
      const selected = database
        .selectFrom('approval_view')
        .where(isUpTo(listed, snapshot))
        .where(sql<boolean>`${sql.join([sql`true`, ...conditions(filter)], sql` and `)}`);
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
    async pending(commandHash) {
      const row = await database
        .selectFrom('approval_view')
        .select('approval_id')
        .where('status', 'in', ['PENDING', 'APPROVED'])
        .where('command_hash', '=', commandHash)
        .executeTakeFirst();
      return row?.approval_id ?? null;
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

function conditions({ status, requestedBy, subject, decidable, about }: ApprovalFilter) {
  return [
    status && sql<boolean>`status = ${status}`,
    requestedBy && sql<boolean>`requested_by = ${requestedBy}`,
    subject && sql<boolean>`subject = ${subject}`,
    decidable &&
      sql<boolean>`status = 'PENDING' and requested_by <> ${decidable.by} and capability = any(${decidable.capabilities}::text[])`,
    about &&
      sql<boolean>`(subject = any(${about.ids}::text[]) or requested_by = any(${about.ids}::text[])
        or subject in (select serial from certificate_view where civil_id = any(${about.civilIds}::text[]))
        or subject in (select document_number from device_view where civil_id = any(${about.civilIds}::text[])))`,
  ].filter((each) => typeof each === 'object');
}
