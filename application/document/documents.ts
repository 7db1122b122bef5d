import {
  type Document,
  type DocumentCommand,
  documentDecider,
  documentNotFound,
  type DocumentRecord,
} from '../../domain/document/document.ts';
import type { DocumentEvent } from '../../domain/document/events.ts';
import {
  type ChangePolicies,
  type DocumentPolicies,
  documentPolicyDecider,
} from '../../domain/documentPolicy/documentPolicy.ts';
import type { DocumentPolicyChanged } from '../../domain/documentPolicy/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The document aggregate bound to its store; its id is a UUID. */
export type Documents = Aggregate<Document, DocumentCommand, DocumentEvent>;

export function createDocuments(dependencies: AggregateDependencies<Document>): Documents {
  return createAggregate('document', documentDecider, dependencies);
}

/** The policies of organizations, bound to their store; the id is {@link policiesOf} the tenant. */
export type DocumentPolicyStore = Aggregate<
  DocumentPolicies,
  ChangePolicies,
  DocumentPolicyChanged
>;

export function createDocumentPolicies(
  dependencies: AggregateDependencies<DocumentPolicies>,
): DocumentPolicyStore {
  return createAggregate('documentPolicy', documentPolicyDecider, dependencies);
}

/** Tenants are named by others, in any characters: a stream is named by their digest. */
export const policiesOf = (tenantId: string): string => sha256Hex(tenantId);

/** Names a document as a caller does. */
export interface DocumentAddress {
  readonly documentId: string;
  /** Of the caller; null: an operator, who sees those of every organization. */
  readonly tenantId: string | null;
}

/** The document as the log has it now. @throws Refusal NOT_FOUND also for another organization's */
export async function readDocument(
  documents: Documents,
  { documentId, tenantId }: DocumentAddress,
): Promise<DocumentRecord> {
  const { state } = await documents.load(documentId);
  const isTheirs =
    state.status !== 'NONE' && (tenantId === null || state.created.tenantId === tenantId);
  if (!isTheirs) throw documentNotFound();
  return state;
}
