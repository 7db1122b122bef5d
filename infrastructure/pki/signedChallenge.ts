import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignedChallenge } from '../../application/identityVerification/ports/identityProvider.ts';
import type { HashType } from '../../domain/shared/digest.ts';
import {
  type CertificateDetails,
  certificateFields,
  readableAmong,
  readCertificate,
} from './kernel/certificate.ts';
import { derTag, MalformedDer, readDer, readOid } from './kernel/derReader.ts';
import { oid } from './kernel/oids.ts';
import {
  asSigned,
  readSignedAttributes,
  readSignedData,
  type SignedData,
  type SignerInfo,
} from './signedData.ts';
import {
  isSignedBy,
  signatureScheme,
  type StatedHash,
  statedHash,
} from './kernel/statedSignature.ts';

/** Signer of a challenge; the certificate is not trusted yet. */
export interface ChallengeSigner {
  readonly certificate: CertificateDetails;
  /** Certificates sent along. */
  readonly others: readonly CertificateDetails[];
}

const hashes: Readonly<Record<HashType, StatedHash>> = {
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
};

/** More certificates than any certification path has. */
const MOST_CERTIFICATES = 10;

/**
 * Signer of exactly these bytes: in a CMS SignedData (RFC 5652) of one signer, with or without content, or raw.
 *
 * @returns null when the signature is invalid or malformed
 */
export function signerOf(challenge: Buffer, sent: SignedChallenge): ChallengeSigner | null {
  try {
    return 'cms' in sent ? signerOfCms(challenge, sent.cms) : signerOfRaw(challenge, sent);
  } catch {
    return null;
  }
}

function signerOfRaw(
  challenge: Buffer,
  { signature, certificate: der, chain, hashType }: Exclude<SignedChallenge, { cms: Buffer }>,
): ChallengeSigner | null {
  const certificate = readCertificate(der);
  const key = certificate.x509.publicKey;
  const hash = hashes[hashType];
  const saltLength = createHash(hash).digest().length;
  const isRight =
    key.asymmetricKeyType === 'ec'
      ? isSignedBy(key, { kind: 'ecdsa', hash }, challenge, signature)
      : isSignedBy(key, { kind: 'rsa', hash }, challenge, signature) ||
        isSignedBy(key, { kind: 'rsa-pss', hash, saltLength, isUsual: true }, challenge, signature);
  return isRight ? { certificate, others: others(chain) } : null;
}

/** @throws MalformedDer, Error for a malformed certificate */
function signerOfCms(challenge: Buffer, cms: Buffer): ChallengeSigner | null {
  const data = readSignedData(cms);
  const [signer, another] = data.signers;
  if (signer === undefined || another !== undefined || data.contentType !== oid.data) return null;
  if (data.content !== null && !data.content.equals(challenge)) return null;
  const hash = statedHash(signer.digestAlgorithm);
  const der = certificateOf(data, signer);
  if (hash === null || hash === 'sha224' || der === undefined) return null;
  const signed = signedBytes(challenge, signer, hash);
  const scheme = signatureScheme(signer.signatureAlgorithm, hash);
  const certificate = readCertificate(der);
  const isRight =
    signed !== null &&
    scheme !== null &&
    isSignedBy(certificate.x509.publicKey, scheme, signed, signer.signature);
  return isRight ? { certificate, others: others(data.certificates) } : null;
}

/** The signed bytes: the attributes, which contain the digest of the content, or without them the content. */
function signedBytes(
  challenge: Buffer,
  { attributes }: SignerInfo,
  hash: StatedHash,
): Buffer | null {
  if (attributes === null) return challenge;
  const values = readSignedAttributes(attributes);
  const type = values.get(oid.contentType);
  const digest = values.get(oid.messageDigest);
  if (type === undefined || digest === undefined) return null;
  const named = readDer(digest, derTag.octetString).content;
  const computed = createHash(hash).update(challenge).digest();
  const isOfContent = named.length === computed.length && timingSafeEqual(named, computed);
  const isData = readOid(readDer(type, derTag.oid)) === oid.data;
  return isOfContent && isData ? asSigned(attributes) : null;
}

function certificateOf({ certificates }: SignedData, { identifier }: SignerInfo) {
  return readableAmong(certificates.slice(0, MOST_CERTIFICATES), (der) => {
    const { serial, issuer, extensions } = certificateFields(der);
    if ('serial' in identifier) {
      const isTheOne = serial.equals(identifier.serial) && issuer.equals(identifier.issuer);
      return isTheOne ? der : null;
    }
    const key = extensions.get(oid.subjectKeyIdentifier)?.value;
    if (key === undefined) return null;
    const stated = readDer(key, derTag.octetString).content;
    return stated.equals(identifier.subjectKeyIdentifier) ? der : null;
  }).find((der) => der !== null);
}

function others(chain: readonly Buffer[]): readonly CertificateDetails[] {
  if (chain.length > MOST_CERTIFICATES) throw new MalformedDer('There are too many certificates.');
  return readableAmong(chain, readCertificate);
}
