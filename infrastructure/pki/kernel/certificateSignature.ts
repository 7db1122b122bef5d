import { derReader, derTag, MalformedDer, readBitString, readDer } from './derReader.ts';

/** The signature of a certificate (RFC 5280 §4.1) or a revocation list (§5.1), with the signed bytes. */
export interface CertificateSignature {
  /** TBSCertificate or TBSCertList, DER. */
  readonly signed: Buffer;
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
}

/** @param certificate or revocation list, DER @throws MalformedDer, also when the two algorithm identifiers differ (RFC 5280 §4.1.1.2) */
export function certificateSignature(certificate: Uint8Array): CertificateSignature {
  const whole = derReader(readDer(certificate, derTag.sequence).content);
  const signed = whole.element(derTag.sequence);
  const algorithm = whole.element(derTag.sequence).bytes;
  const signature = readBitString(whole.element());
  whole.end();
  const fields = derReader(signed.content);
  fields.optional(derTag.constructed(0));
  fields.optional(derTag.integer);
  if (!fields.element(derTag.sequence).bytes.equals(algorithm)) {
    throw new MalformedDer('A signed structure names two signature algorithms.');
  }
  return { signed: signed.bytes, algorithm, signature };
}
