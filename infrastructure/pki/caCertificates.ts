import type { IssuingAuthority } from '../../domain/shared/issuingCas.ts';

/** Storage of the authorities' certificates. */
export interface CaCertificates {
  find(name: IssuingAuthority): Promise<Buffer | null>;
  /** Certificates of all authorities there are, DER. */
  all(): Promise<ReadonlyMap<IssuingAuthority, Buffer>>;
  /** Stores the certificate unless that authority has one; returns the stored one. */
  keep(name: IssuingAuthority, certificate: Buffer): Promise<Buffer>;
}
