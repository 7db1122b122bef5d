import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DocumentsOfPerson } from '../application/document/ports/documentsOfPerson.ts';
import { tenantOfCitizen } from '../application/ports/platformTokens.ts';
import type {
  DocumentFilter,
  DocumentPages,
  OpenSignings,
} from '../application/reactors/ports/documentViews.ts';
import type { Database } from './database.ts';
import type { ListFilter, Lists } from './engine/lists.ts';
import type { ListedTable, Sorts } from './engine/snapshots.ts';

/** Orders of documents. */
export const documentSorts = {
  createdAt: { value: sql`created_at`, type: 'timestamptz' },
} as const satisfies Sorts;

/** Pages of documents, the newest first unless wished otherwise. */
export function createDocumentPages({ lists }: { readonly lists: Lists }): DocumentPages {
  const table: ListedTable = {
    table: 'document_view',
    time: 'created_at',
    key: 'document_id',
    sorts: documentSorts,
  };
  return {
    documentPage: (filter) => lists.keys(table, conditionOf(filter), filter),
  };
}

function conditionOf({ tenantId, citizen, status, query }: DocumentFilter): ListFilter {
  const conditions: RawBuilder<boolean>[] = [sql`true`];
  if (tenantId !== null) {
    // The tenant is among the names: one index finds both.
    conditions.push(
      citizen === null
        ? sql`tenant_id = ${tenantId}`
        : sql`names ?| array[${tenantId}, ${citizen}]::text[]`,
    );
  }
  if (status !== null) conditions.push(sql`status = ${status}`);
  if (query !== '') conditions.push(sql`names ? ${query}`);
  return {
    id: JSON.stringify([tenantId, citizen, status, query]),
    where: sql<boolean>`${sql.join(conditions, sql` and `)}`,
    by: query !== '' || citizen !== null ? 'search' : 'walk',
  };
}

/** Ids of the documents of a person. */
export function createDocumentIds(database: Kysely<Database>): DocumentsOfPerson {
  return {
    async documentsOf(civilId, limit, after) {
      const names = sql`array[${civilId}, ${tenantOfCitizen(civilId)}]::text[]`;
      const rows = await database
        .selectFrom('document_view')
        .select('document_id')
        .where('document_id', '>', after ?? '')
        .where(sql<boolean>`names ?| ${names}`)
        .orderBy('document_id')
        .limit(limit)
        .execute();
      return rows.map(({ document_id }) => document_id);
    },
  };
}

/** Signings whose session was answered, or whose time is over. */
export function createOpenSignings(database: Kysely<Database>): OpenSignings {
  return {
    async endedSignings(limit, after, now) {
      const rows = await database
        .selectFrom('document_view')
        .leftJoinLateral(
          sql<{ status: string }>`session_with_id(document_view.session_id)`.as('session'),
          (join) => join.onTrue(),
        )
        .select([
          'document_view.document_id as documentId',
          'document_view.session_id as sessionId',
        ])
        .where('document_view.session_id', 'is not', null)
        .where('document_view.document_id', '>', after?.documentId ?? '')
        .where(sql<boolean>`session.status = 'COMPLETE' or document_view.signing_ends_at <= ${now}`)
        .orderBy('document_view.document_id')
        .limit(limit)
        .execute();
      return rows.map(({ sessionId, ...row }) => ({ ...row, sessionId: sessionId ?? '' }));
    },
  };
}
