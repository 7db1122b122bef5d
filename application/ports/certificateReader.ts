/** What citizens' certificates say, and whether they are the platform's. */
export interface CertificateReader {
  /** @param certificate DER @throws Error when it is none of a person's */
  subjectOf(certificate: Buffer): { readonly givenName: string; readonly surname: string };
  /** Whether valid signatures lead from it to the root, every certificate in force at that time. */
  leadsToRoot(certificate: Buffer, at: Date): boolean;
  /** SHA-256 of the root's certificate, lower-case hexadecimal. */
  readonly rootFingerprint: string;
}
