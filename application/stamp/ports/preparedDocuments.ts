import type { HashType } from '../../../domain/shared/digest.ts';
import type { DocumentWarning } from '../../../domain/shared/documentWarnings.ts';
import type { PreparedPdf } from '../../ports/pdfStamping.ts';

/** A PDF prepared for the signature of a citizen. */
export interface PreparedDocument {
  /** UUID. */
  readonly preparedId: string;
  readonly relyingPartyId: string;
  readonly civilId: string;
  /** Of the certificate named in its signed attributes, lower-case hexadecimal. */
  readonly certificateSerial: string;
  readonly hash: HashType;
  /** Digest to be signed: that of the signed attributes, lower-case hexadecimal. */
  readonly digest: string;
  readonly fileName: string | null;
  /** SHA-256 of the document before it was prepared, lower-case hexadecimal. */
  readonly documentDigest: string;
  /** Active content of the document. */
  readonly warnings: readonly DocumentWarning[];
  readonly pdf: PreparedPdf;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Prepared documents between preparation and stamp, for every process of the installation; encrypted under a key of the
 * citizen, so that crypto-shredding covers them.
 *
 * @throws Unavailable(database)
 */
export interface PreparedDocuments {
  /** @returns false when the relying party's quota would be exceeded; nothing was stored then */
  keep(document: PreparedDocument): Promise<boolean>;
  /** The unexpired one of this id, or the newest awaiting a signature over this digest. */
  find(
    relyingPartyId: string,
    which: { readonly preparedId: string } | { readonly digest: string },
    now: Date,
  ): Promise<PreparedDocument | null>;
  /**
   * Warnings of the unexpired ones awaiting a signature over these digests, by digest; read without their PDFs, which
   * are long.
   */
  warningsOf(
    relyingPartyId: string,
    digests: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, readonly DocumentWarning[]>>;
  removeExpired(now: Date): Promise<void>;
}
