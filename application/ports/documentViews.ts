import type { DocumentStatus } from '../../domain/document/document.ts';

/** Which documents a list shows, the newest first. */
export interface DocumentFilter {
  /** Null: those of every organization. */
  readonly tenantId: string | null;
  /** Null: any. */
  readonly status: DocumentStatus | null;
  /** Id of the document, its organization, a signer or a session, or the digest of a file, in full; blank: all. */
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
}

/** Which documents there are. */
export interface DocumentPages {
  documentPage(filter: DocumentFilter): Promise<{
    /** Document ids. */
    readonly keys: readonly string[];
    readonly total: number;
    readonly isTotalExact: boolean;
  }>;
}

/** A document somebody was asked to sign. */
export interface OpenSigning {
  readonly documentId: string;
  readonly sessionId: string;
}

/** Signings whose session has ended, or should have. */
export interface OpenSignings {
  /** @param now ISO 8601 */
  endedSignings(
    limit: number,
    after: OpenSigning | null,
    now: string,
  ): Promise<readonly OpenSigning[]>;
}
