import type { IssuingAuthority } from '../../../domain/certificate/events.ts';
import type { Unavailable } from '../../ports/faults.ts';

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

/** Status unavailable: the read model is stale, or the log cannot be read; OCSP answers tryLater. */
export interface UnavailableStatus {
  readonly serial: string;
  readonly unavailable: Unavailable;
}

/** Status of certificates. */
export interface CertificateStatuses {
  /** Status of those serials that were issued, in any order. @throws Unavailable */
  statuses(serials: readonly string[]): Promise<readonly (CertificateStatus | UnavailableStatus)[]>;
}
