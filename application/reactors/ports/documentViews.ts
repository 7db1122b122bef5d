import type { ListPart, HasSnapshot } from '../../ports/listSnapshot.ts';
import type { DocumentStatus } from '../../../domain/document/document.ts';

/** Filter of a list of documents, the newest first. */
export interface DocumentFilter extends ListPart {
  /** Null: every organization's. */
  readonly tenantId: string | null;
  /** Civil id: also those that name this citizen as a signer; null: nobody. */
  readonly citizen: string | null;
  /** Null: any. */
  readonly status: DocumentStatus | null;
  /** Id of the document, its organization, a signer or a session, or the digest of a file, in full; blank: all. */
  readonly query: string;
}

/** Lists of documents. */
export interface DocumentPages {
  documentPage(filter: DocumentFilter): Promise<
    HasSnapshot & {
      /** Document ids. */
      readonly keys: readonly string[];
      readonly total: number;
      readonly isTotalExact: boolean;
    }
  >;
}

/** A document with a signing session in progress. */
export interface OpenSigning {
  readonly documentId: string;
  readonly sessionId: string;
}

/** Signings whose session has ended, or is past its end. */
export interface OpenSignings {
  /** @param now ISO 8601 */
  endedSignings(
    limit: number,
    after: OpenSigning | null,
    now: string,
  ): Promise<readonly OpenSigning[]>;
}
