import type { DocumentStatus } from '../../domain/document/document.ts';
import { type DocumentEvent, documentEvents } from '../../domain/document/events.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import { int8, jsonb, nullable, type RowOf, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  document_id: text(),
  tenant_id: text(),
  status: text<DocumentStatus>(),
  /** Signatures that are still missing. */
  awaited: int8(),
  /** Of who is asked to sign just now. */
  session_id: nullable(text()),
  signing_ends_at: nullable(timestamptz()),
  /** Exact search terms: ids, civil ids of signers, digests of files. */
  names: jsonb<readonly string[]>(),
  created_at: timestamptz(),
  revision: int8(),
};

/** A document as folded; times are ISO strings. */
export type DocumentRow = RowOf<typeof columns>;

function evolve(row: DocumentRow | undefined, event: DocumentEvent): DocumentRow | undefined {
  if (event.type === 'DocumentCreated') {
    const { documentId, tenantId, signers, createdAt } = event.data;
    const named = signers.filter((civilId) => civilId !== null);
    return {
      document_id: documentId,
      tenant_id: tenantId,
      status: 'DRAFT',
      awaited: BigInt(signers.length),
      session_id: null,
      signing_ends_at: null,
      names: [...new Set([documentId, tenantId, ...named])],
      created_at: createdAt,
      revision: 0n,
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
        ...row,
        status: 'PENDING_APPROVAL',
        names: named(civilId, sessionId),
        session_id: sessionId,
        signing_ends_at: endsAt,
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
export const documentsReadModel = readModel({
  name: 'documents',
  table: 'document_view',
  events: documentEvents,
  key: 'document_id',
  columns,
  shown: ['status', 'awaited'],
  evolve,
  topics: () => [],
});
