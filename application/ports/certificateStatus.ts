/** What the issuer of somebody else's certificate says of it now. */
export interface CertificateStatusSource {
  /**
   * @param certificate DER
   * @param issuer DER, of the authority that issued it
   * @throws Unavailable(certificateStatus) when nobody can say
   */
  isRevoked(certificate: Buffer, issuer: Buffer): Promise<boolean>;
}
