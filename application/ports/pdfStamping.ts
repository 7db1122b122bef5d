import type { HashAlgorithm, HashType } from '../../domain/shared/digest.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';

/** Whose signature a document carries, or will. */
export interface DocumentSigner {
  readonly surname: string;
  readonly givenName: string;
  readonly surnameLatin: string;
  readonly givenNameLatin: string;
  /** Set when the signature is made on behalf of one. */
  readonly organization: { readonly name: string; readonly etsi: string } | null;
  /** An organization's own seal, of the Organization CA: `givenName` is its name. Omitted: a citizen's signature. */
  readonly isSeal?: boolean;
  /** DER. */
  readonly certificate: Buffer;
  /** Lower-case hexadecimal. */
  readonly certificateSerial: string;
  readonly certificateLevel: string;
}

/** A session whose citizen has signed. */
export interface SignedSession {
  readonly sessionId: string;
  readonly relyingPartyName: string;
  readonly signer: DocumentSigner;
  /** Raw bytes: what was signed. */
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

/** A document that awaits the citizen's own signature. */
export interface PreparedPdf {
  /** With room for the signature; what is signed will not change. */
  readonly bytes: Buffer;
  /** Where the hexadecimal digits of the signature go, from the start of the file. */
  readonly contentsAt: number;
  /** How many bytes there are for it. */
  readonly contentsBytes: number;
  /** CMS signed attributes, DER: what the citizen signs the digest of. */
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

/** Why a document is not taken; `detail` is for the caller. */
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

/**
 * Puts signatures into PDFs, by incremental update: the bytes given stay a prefix of the bytes returned.
 *
 * A document passed in belongs to the adapter from then on: its bytes may be gone when the call returns.
 *
 * @throws Unavailable when a key, a timestamp or revocation data cannot be had
 */
export interface PdfStamping {
  /**
   * Checks that the document is what was signed; adds a validation page, the citizen's signature as an attached
   * evidence file and a PAdES-LT signature of the document signer.
   */
  stamp(
    document: Buffer,
    session: SignedSession,
    fileName: string | null,
  ): Promise<{ readonly pdf: Buffer } | PdfRefused>;
  /** Adds a validation page and an empty signature field for the citizen's own signature. */
  prepare(order: PrepareOrder): Promise<{ readonly prepared: PreparedPdf } | PdfRefused>;
  /** Puts the citizen's signature over `prepared.attributes` into the document: PAdES-LT. */
  complete(prepared: PreparedPdf, session: SignedSession): Promise<Buffer>;
}
