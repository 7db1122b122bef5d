/** Reads citizens' certificates and verifies that the platform issued them. */
export interface CertificateReader {
  /** @param certificate DER @throws Error unless it is a person's */
  subjectOf(certificate: Buffer): { readonly givenName: string; readonly surname: string };
  /** True when valid signatures lead from it to the root, every certificate in force at that time. */
  leadsToRoot(certificate: Buffer, at: Date): boolean;
  /** SHA-256 of the root's certificate, lower-case hexadecimal. */
  readonly rootFingerprint: string;
}
