import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  DocumentFilter,
  DocumentPages,
  OpenSignings,
} from '../application/ports/documentViews.ts';
import type { DocumentEvent } from '../domain/document/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import type { Database, DocumentRow } from './database.ts';
import type { ListFilter, Lists } from './lists.ts';
import { readModel } from './readModel.ts';

// Projection

function evolve(row: DocumentRow | undefined, event: DocumentEvent): DocumentRow | undefined {
  if (event.type === 'DocumentCreated') {
    const { documentId, tenantId, signers, createdAt } = event.data;
    const named = signers.filter((civilId) => civilId !== null);
    return {
      ...{ document_id: documentId, tenant_id: tenantId, status: 'DRAFT' },
      ...{ awaited: BigInt(signers.length), session_id: null, signing_ends_at: null },
      names: [...new Set([documentId, tenantId, ...named])],
      ...{ created_at: createdAt, revision: 0n },
    };
  }
  return row && progress(row, event);
}

function progress(
  row: DocumentRow,
  event: Exclude<DocumentEvent, { type: 'DocumentCreated' }>,
): DocumentRow {
  const named = (...names: readonly string[]) => [...new Set([...row.names, ...names])];
  const idle = { session_id: null, signing_ends_at: null };
  switch (event.type) {
    case 'DocumentFileAttached':
      return { ...row, ...idle, names: named(event.data.sha256) };
    case 'DocumentSigningStarted': {
      const { sessionId, civilId, endsAt } = event.data;
      return {
        ...{ ...row, status: 'PENDING_APPROVAL', names: named(civilId, sessionId) },
        ...{ session_id: sessionId, signing_ends_at: endsAt },
      };
    }
    case 'DocumentSigned': {
      const awaited = row.awaited - 1n;
      const status = awaited === 0n ? 'APPROVED' : 'PENDING_APPROVAL';
      const { signedFile } = event.data;
      const names = signedFile === null ? row.names : named(signedFile.sha256);
      return { ...row, ...idle, awaited, status, names };
    }
    case 'DocumentSigningEnded':
      return { ...row, ...idle, status: event.data.isRejection ? 'REJECTED' : row.status };
    default:
      return unreachable(event);
  }
}

/** The documents, table `document_view`: what lists need to find them. What a document says is in the log alone. */
export const documentsReadModel = readModel<DocumentRow, DocumentEvent>({
  name: 'documents',
  table: 'document_view',
  category: 'document',
  key: 'document_id',
  columns: {
    document_id: 'text',
    tenant_id: 'text',
    status: 'text',
    awaited: 'int8',
    session_id: 'text',
    signing_ends_at: 'timestamptz',
    names: 'jsonb',
    created_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  topics: () => [],
});

// Queries

/** Pages of documents, the newest first. */
export function createDocumentPages({ lists }: { readonly lists: Lists }): DocumentPages {
  const table = { table: 'document_view', time: 'created_at', key: 'document_id' } as const;
  return {
    documentPage: (filter) => lists.keys(table, conditionOf(filter), filter),
  };
}

function conditionOf({ tenantId, status, query }: DocumentFilter): ListFilter {
  const conditions: RawBuilder<boolean>[] = [sql`true`];
  if (tenantId !== null) conditions.push(sql`tenant_id = ${tenantId}`);
  if (status !== null) conditions.push(sql`status = ${status}`);
  const isSearched = query !== '';
  if (isSearched) conditions.push(sql`names ? ${query}`);
  return {
    id: JSON.stringify([tenantId, status, query]),
    where: sql<boolean>`${sql.join(conditions, sql` and `)}`,
    by: isSearched ? 'search' : 'walk',
  };
}

/** Signings whose session was answered, or whose time is over. */
export function createOpenSignings(database: Kysely<Database>): OpenSignings {
  return {
    async endedSignings(limit, after, now) {
      const rows = await database
        .selectFrom('document_view')
        .leftJoin('session_view', 'session_view.session_id', 'document_view.session_id')
        .select(['document_view.document_id', 'document_view.session_id'])
        .where('document_view.session_id', 'is not', null)
        .where('document_view.document_id', '>', after?.documentId ?? '')
        .where(
          sql<boolean>`session_view.status = 'COMPLETE' or document_view.signing_ends_at <= ${now}`,
        )
        .orderBy('document_view.document_id')
        .limit(limit)
        .execute();
      return rows.map(({ document_id, session_id }) => ({
        ...{ documentId: document_id, sessionId: session_id ?? '' },
      }));
    },
  };
}
