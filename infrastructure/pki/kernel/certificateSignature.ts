import { derReader, derTag, MalformedDer, readDer } from './derReader.ts';

/** The signature of a certificate (RFC 5280 §4.1) or a revocation list of version 2 (§5.1), with the signed bytes. */
export interface CertificateSignature {
  /** TBSCertificate or TBSCertList, DER. */
  readonly signed: Buffer;
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
}

/** @throws MalformedDer, also when the two algorithm identifiers differ (RFC 5280 §4.1.1.2) */
export function certificateSignature(certificate: Uint8Array): CertificateSignature {
  const whole = derReader(readDer(certificate, derTag.sequence).content);
  const signed = whole.element(derTag.sequence);
  const algorithm = whole.element(derTag.sequence).bytes;
  const bits = whole.element(derTag.bitString).content;
  whole.end();
  const fields = derReader(signed.content);
  fields.optional(derTag.constructed(0));
  fields.element(derTag.integer);
  if (!fields.element(derTag.sequence).bytes.equals(algorithm) || bits[0] !== 0) {
    throw new MalformedDer('The two signature algorithm identifiers differ.');
  }
  return { signed: signed.bytes, algorithm, signature: bits.subarray(1) };
}
