import type { HashAlgorithm, HashType } from '../../domain/shared/digest.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';

/** Signer of a document, present or future. */
export interface DocumentSigner {
  readonly surname: string;
  readonly givenName: string;
  readonly surnameLatin: string;
  readonly givenNameLatin: string;
  /** Set when the signature is made on behalf of an organization. */
  readonly organization: { readonly name: string; readonly etsi: string } | null;
  /** An organization's own seal, of the Organization CA: `givenName` is its name. Omitted: a citizen's signature. */
  readonly isSeal?: boolean;
  /** DER. */
  readonly certificate: Buffer;
  /** Lower-case hexadecimal. */
  readonly certificateSerial: string;
  readonly certificateLevel: string;
}

/** A session with a citizen's signature. */
export interface SignedSession {
  readonly sessionId: string;
  readonly relyingPartyName: string;
  readonly signer: DocumentSigner;
  /** Raw signed digest. */
  readonly digest: Buffer;
  readonly hash: HashAlgorithm;
  /** Raw bytes; an ECDSA value is a DER sequence. */
  readonly signature: Buffer;
  /** For example `ecdsa-with-SHA256`. */
  readonly signatureAlgorithm: string;
  /** Of an RSASSA-PSS signature. */
  readonly pss: { readonly hashAlgorithm: HashAlgorithm; readonly saltLength: number } | null;
  readonly completedAt: string;
  /** TimeStampToken over the SHA-256 of `signature`, DER. */
  readonly timestampToken: Buffer;
}

/** A document prepared for the citizen's own signature. */
export interface PreparedPdf {
  /** With reserved bytes for the signature; the signed part will not change. */
  readonly bytes: Buffer;
  /** Offset of the signature's hexadecimal digits in the file. */
  readonly contentsAt: number;
  /** Number of reserved bytes. */
  readonly contentsBytes: number;
  /** CMS signed attributes, DER: the citizen signs their digest. */
  readonly attributes: Buffer;
}

export interface PrepareOrder {
  readonly document: Buffer;
  readonly fileName: string | null;
  readonly preparedId: string;
  readonly relyingPartyName: string;
  readonly signer: DocumentSigner;
  readonly hash: HashType;
  readonly now: Date;
}

/** Refusal of a document; `detail` is for the caller. */
export interface PdfRefused {
  readonly refused: Extract<
    RefusalCode,
    | 'DIGEST_MISMATCH'
    | 'NOT_A_PDF'
    | 'PDF_ENCRYPTED'
    | 'PDF_DAMAGED'
    | 'PDF_LOCKED'
    | 'PDF_NOT_SUPPORTED'
  >;
  readonly detail: string | null;
}

/** Result of work on a document given from outside. */
export interface Inspected {
  readonly warnings: readonly DocumentWarning[];
}

/**
 * Adds signatures to PDFs, by incremental update: the given bytes stay a prefix of the returned ones. Takes ownership
 * of the document passed in: its bytes may be gone when the call returns.
 *
 * @throws Unavailable when a key, a timestamp or revocation data is unavailable
 */
export interface PdfStamping {
  /**
   * Checks that the document is the signed one; adds a validation page, the citizen's signature as an attached evidence
   * file and a PAdES-LT signature of the document signer.
   */
  stamp(
    document: Buffer,
    session: SignedSession,
    fileName: string | null,
  ): Promise<(Inspected & { readonly pdf: Buffer }) | PdfRefused>;
  /** Adds a validation page and an empty signature field for the citizen's own signature. */
  prepare(
    order: PrepareOrder,
  ): Promise<(Inspected & { readonly prepared: PreparedPdf }) | PdfRefused>;
  /** Inserts the citizen's signature over `prepared.attributes` into the document: PAdES-LT. */
  complete(prepared: PreparedPdf, session: SignedSession): Promise<Buffer>;
}
