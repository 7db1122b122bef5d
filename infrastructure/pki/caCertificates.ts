/** The authorities of this platform, by the name their certificate is kept under. */
export type CaName = 'root' | 'personal' | 'organization';

/** Where the authorities' certificates are kept. */
export interface CaCertificates {
  find(name: CaName): Promise<Buffer | null>;
  /** Keeps the certificate unless that authority has one; returns the one it has. */
  keep(name: CaName, certificate: Buffer): Promise<Buffer>;
}
