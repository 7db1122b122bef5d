import { readCertificate } from '../kernel/certificate.ts';
import { derNull } from '../kernel/der.ts';
import { issuerId } from '../kernel/ocsp.ts';

/**
 * The first three fields of CertID that identify this CA, DER, concatenated: hashed with SHA-1 and with SHA-256, the
 * algorithm's parameters NULL or absent.
 *
 * @param certificate the CA's, DER
 */
export function issuerIds(certificate: Buffer): readonly Buffer[] {
  const issuer = readCertificate(certificate);
  return (['sha1', 'sha256'] as const).flatMap((hash) => [
    issuerId(issuer, hash, [derNull]),
    issuerId(issuer, hash, []),
  ]);
}

/** CertID with SHA-1, which every verifier supports. @param certificate the CA's, DER */
export function certificateIdParts(certificate: Buffer): Buffer {
  return issuerId(readCertificate(certificate));
}
