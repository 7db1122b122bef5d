import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { certificateFields } from '../pki/kernel/certificate.ts';
import { derTag, readDer, readOid, readTime } from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';
import {
  asSigned,
  readSignedAttributes,
  readSignedData,
  type SignedData,
  type SignerInfo,
} from '../pki/signedData.ts';
import {
  isSignedBy,
  signatureScheme,
  statedHash,
  type StatedHash,
} from '../pki/kernel/statedSignature.ts';
import { orRejected, PassportRejected } from './rejection.ts';

/** Content signed by a State, with the signer's certificate; its issuer is not verified here. */
export interface SignedContent {
  readonly content: Buffer;
  readonly certificate: X509Certificate;
  /** Signing time stated by the signer; null when absent. */
  readonly signedAt: Date | null;
}

/**
 * Reads the content of a CMS SignedData of the profile of Doc 9303-10 §4.6.2.2 and verifies its only signature.
 *
 * @param contentType dotted OID required of the content
 * @throws PassportRejected SECURITY_OBJECT_MALFORMED, SECURITY_OBJECT_TYPE, HASH_ALGORITHM, SIGNED_ATTRIBUTES,
 * SIGNED_CONTENT_ALTERED, SIGNATURE_ALGORITHM, DOCUMENT_SIGNATURE_INVALID, SIGNING_TIME and SIGNER_CERTIFICATE_MISSING
 * or _MALFORMED
 */
export function readSignedContent(bytes: Buffer, contentType: string): SignedContent {
  const { data, signer, content } = oneSigned(bytes, contentType);
  const hash = orRejected('HASH_ALGORITHM', null, () => statedHash(signer.digestAlgorithm));
  if (hash === null) throw new PassportRejected('HASH_ALGORITHM');
  const attributes = attributesOf(signer, contentType);
  if (!isDigestOf(hash, content, attributes.messageDigest)) {
    throw new PassportRejected('SIGNED_CONTENT_ALTERED');
  }
  const certificate = certificateOf(data, signer);
  verifySignature(signer, hash, certificate);
  return { content, certificate, signedAt: attributes.signedAt };
}

/** True when `digest` is the hash of `bytes`. */
export function isDigestOf(hash: StatedHash, bytes: Buffer, digest: Buffer): boolean {
  const computed = createHash(hash).update(bytes).digest();
  return computed.length === digest.length && timingSafeEqual(computed, digest);
}

function oneSigned(bytes: Buffer, contentType: string) {
  const data = orRejected('SECURITY_OBJECT_MALFORMED', null, () => readSignedData(bytes));
  const [signer, ...others] = data.signers;
  if (data.contentType !== contentType) throw new PassportRejected('SECURITY_OBJECT_TYPE');
  if (signer === undefined || others.length > 0 || data.content === null) {
    throw new PassportRejected('SECURITY_OBJECT_MALFORMED');
  }
  return { data, signer, content: data.content };
}

function attributesOf({ attributes }: SignerInfo, contentType: string) {
  if (attributes === null) throw new PassportRejected('SIGNED_ATTRIBUTES');
  const values = orRejected('SIGNED_ATTRIBUTES', null, () => readSignedAttributes(attributes));
  const type = values.get(oid.contentType);
  const messageDigest = values.get(oid.messageDigest);
  const signingTime = values.get(oid.signingTime);
  if (type === undefined || messageDigest === undefined) {
    throw new PassportRejected('SIGNED_ATTRIBUTES');
  }
  return orRejected('SIGNED_ATTRIBUTES', null, () => {
    if (readOid(readDer(type, derTag.oid)) !== contentType) {
      throw new PassportRejected('SIGNED_ATTRIBUTES');
    }
    return {
      messageDigest: readDer(messageDigest, derTag.octetString).content,
      signedAt: signingTime === undefined ? null : readTime(readDer(signingTime)),
    };
  });
}

/**
 * Finds the certificate by serial number or key identifier. Issuer names are not compared, because States write them
 * differently in the two places; the signature decides.
 */
function certificateOf({ certificates }: SignedData, { identifier }: SignerInfo): X509Certificate {
  const found = certificates.find((certificate) =>
    orRejected('SIGNER_CERTIFICATE_MALFORMED', null, () => {
      const { serial, extensions } = certificateFields(certificate);
      if ('serial' in identifier) return serial.equals(identifier.serial);
      const key = extensions.get(oid.subjectKeyIdentifier);
      return (
        key !== undefined &&
        readDer(key.value, derTag.octetString).content.equals(identifier.subjectKeyIdentifier)
      );
    }),
  );
  if (found === undefined) throw new PassportRejected('SIGNER_CERTIFICATE_MISSING');
  return orRejected('SIGNER_CERTIFICATE_MALFORMED', null, () => new X509Certificate(found));
}

function verifySignature(signer: SignerInfo, hash: StatedHash, certificate: X509Certificate): void {
  const scheme = orRejected('SIGNATURE_ALGORITHM', null, () =>
    signatureScheme(signer.signatureAlgorithm, hash),
  );
  if (scheme === null || signer.attributes === null) {
    throw new PassportRejected('SIGNATURE_ALGORITHM');
  }
  const key = orRejected('SIGNER_CERTIFICATE_MALFORMED', null, () => certificate.publicKey);
  if (!isSignedBy(key, scheme, asSigned(signer.attributes), signer.signature)) {
    throw new PassportRejected('DOCUMENT_SIGNATURE_INVALID');
  }
}
