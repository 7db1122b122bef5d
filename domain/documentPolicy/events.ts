import type { DomainEvent } from '../shared/decider.ts';
import type { DocumentType } from '../shared/documentTypes.ts';

// Storage format: see domain/session/events.ts.

/** How an organization lets its documents of one type be signed (contract §11). */
export interface PolicyTerms {
  readonly allowEid: boolean;
  readonly allowDan: boolean;
  /** Nobody signs who was not named when the document was made. */
  readonly requireNamedSigner: boolean;
}

export type DocumentPolicyChanged = DomainEvent<
  'DocumentPolicyChanged',
  PolicyTerms & {
    readonly tenantId: string;
    readonly docType: DocumentType;
    readonly changedAt: string;
  }
>;
