import type { IssuingAuthority } from '../../../domain/certificate/events.ts';

/** A revocation that evidence of the time after a backup shows. */
export interface ShownRevocation {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  readonly authority: IssuingAuthority;
  /** RFC 5280 CRLReason number; 6 is a hold. */
  readonly reason: number;
  readonly revokedAt: Date;
  /** End of the certificate's validity, or of its authority's, which is later. */
  readonly notAfter: Date;
}

/** Revocations of certificates that were issued after the backup. @throws Unavailable(database) */
export interface LostRevocations {
  /** Status and lists show it from then on. @returns false when it was kept already */
  keep(revocation: ShownRevocation): Promise<boolean>;
}
