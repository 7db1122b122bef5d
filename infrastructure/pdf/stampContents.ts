import type { StampForm } from '../../domain/stamp/events.ts';

/** What a validation page says of one signer. */
export interface SignerMark {
  readonly signer: {
    readonly surname: string;
    readonly givenName: string;
    readonly surnameLatin: string;
    readonly givenNameLatin: string;
  };
  /** The signer is an organization that seals. */
  readonly isSeal?: boolean;
  /** Set when the signature was made on behalf of one. */
  readonly organization: { readonly name: string; readonly etsi: string } | null;
  readonly certificate: { readonly serial: string; readonly level: string };
  readonly relyingPartyName: string;
  /** Null while the document only awaits its signature. */
  readonly sessionId: string | null;
  /** ISO 8601; null while the document only awaits its signature. */
  readonly signedAt: string | null;
  /** ISO 8601. */
  readonly preparedAt: string;
  /** Where the QR code leads; null: no QR code. */
  readonly verifyUrl: string | null;
}

export interface ValidationPage {
  /** SEAL: the organization's own. */
  readonly form: StampForm | 'SEAL';
  readonly document: {
    readonly fileName: string | null;
    /** For example `SHA-256`. */
    readonly hash: string;
    /** Lower-case hexadecimal. */
    readonly digest: string;
  };
  readonly mark: SignerMark;
  /** Who runs the platform. */
  readonly operator: string;
}
