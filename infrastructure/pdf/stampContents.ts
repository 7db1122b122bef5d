import type { StampForm } from '../../domain/stamp/events.ts';

/** Data of one signer on a validation page. */
export interface SignerMark {
  readonly signer: {
    readonly surname: string;
    readonly givenName: string;
    readonly surnameLatin: string;
    readonly givenNameLatin: string;
  };
  /** True for an organization's seal. */
  readonly isSeal?: boolean;
  /** Set when the signature was made on behalf of an organization. */
  readonly organization: { readonly name: string; readonly etsi: string } | null;
  readonly certificate: { readonly serial: string; readonly level: string };
  readonly relyingPartyName: string;
  /** Null before the document is signed. */
  readonly sessionId: string | null;
  /** ISO 8601; null before the document is signed. */
  readonly signedAt: string | null;
  /** ISO 8601. */
  readonly preparedAt: string;
  /** Address in the QR code; null: no QR code. */
  readonly verifyUrl: string | null;
}

export interface ValidationPage {
  /** `SEAL`: by the organization itself. */
  readonly form: StampForm | 'SEAL';
  readonly document: {
    readonly fileName: string | null;
    /** For example `SHA-256`. */
    readonly hash: string;
    /** Lower-case hexadecimal. */
    readonly digest: string;
  };
  readonly mark: SignerMark;
  /** Operator of the platform. */
  readonly operator: string;
}
