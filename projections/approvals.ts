import { type Kysely, sql } from 'kysely';
import type {
  ApprovalFilter,
  ApprovalInbox,
  OpenApprovals,
  PendingApprovals,
} from '../application/approval/ports/approvalInbox.ts';
import type { Database } from './database.ts';
import { columnsBut, records } from './engine/readModel.ts';
import type { ListedTable, Sorts } from './engine/snapshots.ts';
import { sortedKeys } from './engine/sorted.ts';
import { approvalsReadModel } from './models/approvals.ts';

/** Columns of the list of approvals that it can be sorted by. */
export const approvalSorts = {
  requestedAt: { value: sql`requested_at`, type: 'timestamptz' },
  expiresAt: { value: sql`expires_at`, type: 'timestamptz' },
  operation: { value: sql`operation`, type: 'text' },
  status: { value: sql`status`, type: 'text' },
} as const satisfies Sorts;

const newest = { by: 'requestedAt', isDescending: true } as const;

const listed: ListedTable = {
  table: 'approval_view',
  time: 'requested_at',
  key: 'approval_id',
  sorts: approvalSorts,
};

const shown = columnsBut(approvalsReadModel, 'execution', 'revision');
const toSummary = records(shown);

/** Queries over approvals. */
export function createApprovalLists(
  database: Kysely<Database>,
): ApprovalInbox & OpenApprovals & PendingApprovals {
  return {
    async approvals(filter, page) {
      const where = sql<boolean>`${sql.join([sql`true`, ...conditions(filter)], sql` and `)}`;
      const { sort = newest } = page;
      const found = await sortedKeys(database, listed, where, { ...page, sort });
      const rows = await database
        .selectFrom('approval_view')
        .select(shown)
        .where('approval_id', '=', sql<string>`any(${found.keys}::text[])`)
        .orderBy(sql`array_position(${found.keys}::text[], approval_id)`)
        .execute();
      return { ...found, items: rows.map(toSummary) };
    },
    async pending({ operation, subject, commandHash }, which) {
      const row = await database
        .selectFrom('approval_view')
        .select('approval_id')
        .where('status', 'in', ['PENDING', 'APPROVED'])
        .where(({ or, and, eb }) =>
          or([
            eb('command_hash', '=', commandHash),
            ...(which === 'ANY'
              ? [and([eb('operation', '=', operation), eb('subject', '=', subject)])]
              : []),
          ]),
        )
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
