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

/** Tenant ids may contain any characters: the stream is named by their digest. */
export const policiesOf = (tenantId: string): string => sha256Hex(tenantId);

/** Reference to a document by a caller. */
export interface DocumentAddress {
  readonly documentId: string;
  /** The caller's; null: an operator, who sees those of every organization. */
  readonly tenantId: string | null;
  /** Civil id of a citizen who acts for no organization: reaches documents they are named in, too. */
  readonly citizen?: string | null;
}

/** True for documents of the caller's tenant, and of a citizen's being named in. */
export function reaches(
  { tenantId, citizen = null }: Omit<DocumentAddress, 'documentId'>,
  { created, parties }: DocumentRecord,
): boolean {
  const isNamed = citizen !== null && parties.has(citizen);
  return tenantId === null || created.tenantId === tenantId || isNamed;
}

/** The document, current as of the log. @throws Refusal NOT_FOUND also for another organization's */
export async function readDocument(
  documents: Documents,
  address: DocumentAddress,
): Promise<DocumentRecord> {
  const { state } = await documents.load(address.documentId);
  if (state.status === 'NONE' || !reaches(address, state)) throw documentNotFound();
  return state;
}
