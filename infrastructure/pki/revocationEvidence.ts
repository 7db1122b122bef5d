import type { IssuingAuthority, IssuingCa } from '../../domain/shared/issuingCas.ts';

/** Revocation data of our CAs' certificates, to be embedded in signatures (PAdES LT). */
export interface RevocationEvidence {
  /**
   * @param serial lower-case hexadecimal
   * @returns OCSPResponse (RFC 6960), DER, without nonce
   */
  ocspResponse(issuer: IssuingCa, serial: string): Promise<Buffer>;
  /** @returns the newest CertificateList (RFC 5280 §5), DER */
  crl(issuer: IssuingAuthority): Promise<Buffer>;
}
