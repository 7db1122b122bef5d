import type { IssuingAuthority } from '../../../domain/certificate/events.ts';

/** Status of an issued certificate, for OCSP. */
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

/** Status of certificates, in the read model. */
export interface CertificateStatuses {
  /** Status of those serials that were issued, in any order. @throws Unavailable(database) */
  statuses(serials: readonly string[]): Promise<readonly CertificateStatus[]>;
}
