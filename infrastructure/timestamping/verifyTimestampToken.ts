import { createHash, timingSafeEqual, verify, X509Certificate } from 'node:crypto';
import type { HashType } from '../../domain/shared/digest.ts';
import { certificateFields, readableAmong } from '../pki/kernel/certificate.ts';
import { hasTrustedPath, type TrustedIssuers } from '../pki/certificatePath.ts';
import { derOid, derSequence } from '../pki/kernel/der.ts';
import { oid } from '../pki/kernel/oids.ts';
import { asSigned } from '../pki/signedData.ts';
import { readTimestampToken, type TimestampToken } from './timestampMessages.ts';

/** An invalid token; the message gives the reason. */
export class TimestampRejected extends Error {
  override readonly name = 'TimestampRejected';
}

/** Expected content of a token. */
export interface TimestampExpectation {
  readonly digest: Uint8Array;
  readonly hash: HashType;
  /** Accepted issuers. */
  readonly trust: TrustedIssuers;
}

/** Content of a verified token. */
export interface VerifiedTimestamp {
  readonly token: TimestampToken;
  /** Of the authority, DER. */
  readonly certificate: Buffer;
}

/** Exactly one purpose, critical (RFC 3161 §2.3). */
const timestampingOnly = derSequence(derOid(oid.timeStamping));

const signatureHashes: Readonly<Record<string, HashType>> = {
  [oid.ecdsaWithSha256]: 'SHA256',
  [oid.ecdsaWithSha384]: 'SHA384',
  [oid.ecdsaWithSha512]: 'SHA512',
  [oid.sha256WithRsa]: 'SHA256',
  [oid.sha384WithRsa]: 'SHA384',
  [oid.sha512WithRsa]: 'SHA512',
};

/**
 * Checks a TimeStampToken: imprint, signature, the authority's certificate, its purpose and its path.
 *
 * @throws TimestampRejected, MalformedDer
 */
export function verifyTimestampToken(
  bytes: Uint8Array,
  { digest, hash, trust }: TimestampExpectation,
): VerifiedTimestamp {
  const token = readTimestampToken(bytes);
  if (token.hash !== hash || !areEqual(token.digest, digest)) {
    throw new TimestampRejected("The token's message imprint is not the requested one.");
  }
  const certificate = signingCertificateOf(token);
  verifySignature(token, certificate);
  const purpose = certificateFields(certificate).extensions.get(oid.extendedKeyUsage);
  if (purpose?.critical !== true || !purpose.value.equals(timestampingOnly)) {
    throw new TimestampRejected(
      'The extended key usage of the certificate is not timestamping alone.',
    );
  }
  if (!hasTrustedPath(certificate, token.certificates, trust, token.time)) {
    throw new TimestampRejected(
      'The certificate has no certification path to a trusted authority.',
    );
  }
  return { token, certificate };
}

/** Finds the certificate that the signer references twice: by issuer and serial, and by its hash (RFC 5035 §3). */
function signingCertificateOf({ signer, certificates }: TimestampToken): Buffer {
  const named = readableAmong(certificates, (certificate) => {
    const { issuer, serial } = certificateFields(certificate);
    return issuer.equals(signer.issuer) && serial.equals(signer.serial) ? certificate : null;
  });
  const { algorithm, value } = signer.certificateHash;
  for (const certificate of named) {
    if (certificate === null) continue;
    if (areEqual(createHash(algorithm).update(certificate).digest(), value)) return certificate;
  }
  throw new TimestampRejected("The signer's certificate is missing.");
}

function verifySignature({ signer, content }: TimestampToken, certificate: Buffer): void {
  if (!areEqual(createHash(signer.hash).update(content).digest(), signer.messageDigest)) {
    throw new TimestampRejected('The signed digest is not that of the content.');
  }
  const hash =
    signer.signatureAlgorithm === oid.rsaEncryption
      ? signer.hash
      : signatureHashes[signer.signatureAlgorithm];
  if (hash === undefined) throw new TimestampRejected('The signature algorithm is not known.');
  if (!isSignedWith(certificate, hash, signer)) {
    throw new TimestampRejected('The signature does not verify.');
  }
}

/** False also for a certificate or key that OpenSSL cannot read, such as a point off its curve. */
function isSignedWith(
  certificate: Buffer,
  hash: HashType,
  { attributes, signature }: TimestampToken['signer'],
): boolean {
  try {
    return verify(
      hash,
      asSigned(attributes),
      new X509Certificate(certificate).publicKey,
      signature,
    );
  } catch {
    return false;
  }
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
