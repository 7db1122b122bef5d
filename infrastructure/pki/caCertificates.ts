/** The platform's authorities, by the name their certificate is stored under. */
export type CaName = 'root' | 'personal' | 'organization';

/** Storage of the authorities' certificates. */
export interface CaCertificates {
  find(name: CaName): Promise<Buffer | null>;
  /** Stores the certificate unless that authority has one; returns the stored one. */
  keep(name: CaName, certificate: Buffer): Promise<Buffer>;
}
