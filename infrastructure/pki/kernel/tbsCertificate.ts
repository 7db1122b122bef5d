import { createHash } from 'node:crypto';
import {
  derBitString,
  derExplicit,
  derOctetString,
  derOid,
  derSequence,
  derTime,
  derUnsigned,
} from './der.ts';
import { derReader, derTag } from './derReader.ts';
import { oid } from './oids.ts';

/** Variable content of the certificates of one CA and profile. */
export interface VariableContent {
  /** Big-endian bytes. */
  readonly serial: Buffer;
  /** Name, DER. */
  readonly subject: Buffer;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Constant content of the certificates of one CA and profile. */
export interface CertificateTemplate {
  /** Name, DER. */
  readonly issuer: Buffer;
  /** OID of the issuer's signature algorithm. */
  readonly signatureAlgorithm: string;
  /** Extensions, DER, concatenated. */
  readonly staticExtensions: Buffer;
}

const version3 = derExplicit(0, derUnsigned(Buffer.from([2])));

/** Returns the function that encodes TBSCertificate (RFC 5280 §4.1), DER; all fixed parts are encoded here, once. */
export function createTbsEncoder(
  template: CertificateTemplate,
): (content: VariableContent) => Buffer {
  const algorithm = algorithmIdentifier(template.signatureAlgorithm);
  return (content) =>
    derSequence(
      version3,
      derUnsigned(content.serial),
      algorithm,
      template.issuer,
      derSequence(derTime(content.notBefore), derTime(content.notAfter)),
      content.subject,
      content.publicKey,
      derExplicit(
        3,
        derSequence(subjectKeyIdentifierExtension(content.publicKey), template.staticExtensions),
      ),
    );
}

/** ecdsa-with-SHA2 has no parameters (RFC 5758 §3.2). */
function algorithmIdentifier(algorithm: string): Buffer {
  return derSequence(derOid(algorithm));
}

/** Certificate, DER, from its signed part and the signature (for ECDSA a DER sequence). */
export function assembleCertificate(
  tbs: Uint8Array,
  signatureAlgorithm: string,
  signature: Uint8Array,
): Buffer {
  return derSequence(tbs, algorithmIdentifier(signatureAlgorithm), derBitString(signature));
}

const subjectKeyIdentifierOid = derOid(oid.subjectKeyIdentifier);

/** The subject key identifier extension of `publicKey`, DER. */
export function subjectKeyIdentifierExtension(publicKey: Uint8Array): Buffer {
  const identifier = derOctetString(keyIdentifierOf(publicKey));
  return derSequence(subjectKeyIdentifierOid, derOctetString(identifier));
}

/**
 * RFC 5280 §4.2.1.2 method 1: SHA-1 of the public key's bit string; an identifier, not a protection.
 *
 * @param publicKey SubjectPublicKeyInfo, DER
 * @throws MalformedDer
 */
export function keyIdentifierOf(publicKey: Uint8Array): Buffer {
  const info = derReader(publicKey).enter(derTag.sequence);
  info.element(derTag.sequence);
  const bits = info.element(derTag.bitString).content;
  info.end();
  return createHash('sha1').update(bits.subarray(1)).digest();
}
