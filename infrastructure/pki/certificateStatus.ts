/** Current status of external certificates. */
export interface CertificateStatusSource {
  /**
   * @param certificate DER
   * @param issuer DER, of its issuing authority
   * @throws Unavailable(certificateStatus) when the status is unavailable
   */
  isRevoked(certificate: Buffer, issuer: Buffer): Promise<boolean>;
}
