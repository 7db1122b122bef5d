import type { HashType } from '../../domain/shared/digest.ts';
import type { PreparedPdf } from './pdfStamping.ts';

/** A PDF that awaits the signature of a citizen. */
export interface PreparedDocument {
  /** UUID. */
  readonly preparedId: string;
  readonly relyingPartyId: string;
  readonly civilId: string;
  /** Of the certificate its signed attributes name, lower-case hexadecimal. */
  readonly certificateSerial: string;
  readonly hash: HashType;
  /** What the citizen is asked to sign: digest of the signed attributes, lower-case hexadecimal. */
  readonly digest: string;
  readonly fileName: string | null;
  readonly pdf: PreparedPdf;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Prepared documents between their preparation and their stamp, for every process of the installation; encrypted under
 * a key of the citizen, so that forgetting the citizen ends them.
 *
 * @throws Unavailable(database)
 */
export interface PreparedDocuments {
  /** @returns false when the relying party's documents would be too large together; nothing was kept then */
  keep(document: PreparedDocument): Promise<boolean>;
  /** The newest that awaits a signature over `digest`, and has not expired. */
  find(relyingPartyId: string, digest: string, now: Date): Promise<PreparedDocument | null>;
  removeExpired(now: Date): Promise<void>;
}
