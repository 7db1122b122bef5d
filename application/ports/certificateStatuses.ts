import type { IssuingAuthority } from '../../domain/certificate/events.ts';

/** What OCSP has to know of a certificate that was issued. */
export interface CertificateStatus {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  readonly authority: IssuingAuthority;
  /** Null: good. A suspended certificate counts as revoked with reason 6 until it is reinstated. */
  readonly revocation: {
    /** RFC 5280 CRLReason number. */
    readonly reason: number;
    readonly at: Date;
  } | null;
}

/** The status of certificates, as far as projected. */
export interface CertificateStatuses {
  /** Those of the serials that were issued, in any order. @throws Unavailable(database) */
  statuses(serials: readonly string[]): Promise<readonly CertificateStatus[]>;
}
