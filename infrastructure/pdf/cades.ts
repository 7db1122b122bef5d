import { createHash } from 'node:crypto';
import type { HashAlgorithm, HashType } from '../../domain/shared/digest.ts';
import { certificateFields } from '../pki/kernel/certificate.ts';
import { asSent, cmsAttribute, hashAlgorithm, implicitSet } from '../pki/signedData.ts';
import {
  derExplicit,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derUnsigned,
  derValue,
} from '../pki/kernel/der.ts';
import { derTag } from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';

/** Version of a CMS signature (RFC 5652 §5.1). */
const version1 = derUnsigned(Buffer.from([1]));
/** Version of one with revocation information other than CRLs (RFC 5652 §5.1). */
const version5 = derUnsigned(Buffer.from([5]));
const data = derOid(oid.data);

/**
 * The signed attributes of a PAdES baseline signature (EN 319 142-1 §6.3): content type, digest, signing certificate.
 * The signing time is the signature dictionary's `M` only.
 *
 * @param digest of the byte range
 * @returns SET OF Attribute, DER, to be hashed and signed
 */
export function signedAttributes(certificate: Buffer, digest: Uint8Array): Buffer {
  // ESSCertIDv2 omits its default hash algorithm, SHA-256 (RFC 5035 §4).
  const certificateHash = createHash('sha256').update(certificate).digest();
  return derSet(
    cmsAttribute(oid.contentType, data),
    cmsAttribute(oid.messageDigest, derOctetString(digest)),
    cmsAttribute(
      oid.signingCertificateV2,
      derSequence(derSequence(derSequence(derOctetString(certificateHash)))),
    ),
  );
}

export interface CadesSignature {
  /** DER. */
  readonly certificate: Buffer;
  /** DER; included in the CMS. */
  readonly chain: readonly Buffer[];
  readonly hash: HashType;
  /** Result of {@link signedAttributes}; null: the content itself was signed, without attributes (RFC 5652 §5.4). */
  readonly attributes: Uint8Array | null;
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
  /** TimeStampToken over the signature, DER. */
  readonly timestampToken: Buffer;
  /** Revocation data of the chain, DER; omitted: stored elsewhere. */
  readonly revocation?: {
    readonly crls: readonly Buffer[];
    readonly ocspResponses: readonly Buffer[];
  };
}

/** A detached CAdES-T signature: ContentInfo of a SignedData (RFC 5652 §5), DER. */
export function encodeCades(order: CadesSignature): Buffer {
  const { certificate, chain, attributes, algorithm, signature, timestampToken } = order;
  const { issuer, serial } = certificateFields(certificate);
  const digestAlgorithm = hashAlgorithm[order.hash];
  const signerInfo = derSequence(
    version1,
    derSequence(issuer, derValue(derTag.integer, serial)),
    digestAlgorithm,
    ...(attributes === null ? [] : [asSent(attributes)]),
    algorithm,
    derOctetString(signature),
    implicitSet(1, cmsAttribute(oid.signatureTimestamp, timestampToken)),
  );
  const signedData = derSequence(
    order.revocation === undefined ? version1 : version5,
    derSet(digestAlgorithm),
    derSequence(data),
    implicitSet(0, certificate, ...chain),
    ...(order.revocation === undefined ? [] : [revocationInfo(order.revocation)]),
    derSet(signerInfo),
  );
  return derSequence(derOid(oid.signedData), derExplicit(0, signedData));
}

/** RevocationInfoChoices (RFC 5652 §10.2.1): CRLs plain, OCSP responses wrapped (RFC 5940 §2.1). */
function revocationInfo({
  crls,
  ocspResponses,
}: NonNullable<CadesSignature['revocation']>): Buffer {
  const wrapped = ocspResponses.map((response) => {
    const info = derSequence(derOid(oid.ocspRevocationInfo), response);
    info[0] = derTag.constructed(1);
    return info;
  });
  return implicitSet(1, ...crls, ...wrapped);
}

const ecdsaAlgorithms: Readonly<Record<HashType, Buffer>> = {
  SHA256: derSequence(derOid(oid.ecdsaWithSha256)),
  SHA384: derSequence(derOid(oid.ecdsaWithSha384)),
  SHA512: derSequence(derOid(oid.ecdsaWithSha512)),
};

const pkcs1Algorithms: Readonly<Record<string, Buffer>> = {
  sha256WithRSAEncryption: derSequence(derOid(oid.sha256WithRsa), derNull),
  sha384WithRSAEncryption: derSequence(derOid(oid.sha384WithRsa), derNull),
  sha512WithRSAEncryption: derSequence(derOid(oid.sha512WithRsa), derNull),
};

/**
 * AlgorithmIdentifier of a citizen's signature by its name in sessions. An ECDSA signature is identified by the hash of
 * the signed data: nested sessions name all of them alike (contract §1).
 *
 * @throws Error for an algorithm that the platform's CMS signatures do not use
 */
export function citizenAlgorithm(
  name: string,
  hash: HashType,
  pss: { readonly hashAlgorithm: HashAlgorithm; readonly saltLength: number } | null,
): Buffer {
  const plain = name.startsWith('ecdsa-') ? ecdsaAlgorithms[hash] : pkcs1Algorithms[name];
  if (plain !== undefined) return plain;
  if (pss === null || pss.hashAlgorithm.startsWith('SHA3')) {
    throw new Error(`The signature algorithm ${name} is not supported in a PDF.`);
  }
  // RFC 4055 §3.1.
  const hashing = hashAlgorithm[pss.hashAlgorithm as HashType];
  return derSequence(
    derOid(oid.rsassaPss),
    derSequence(
      derExplicit(0, hashing),
      derExplicit(1, derSequence(derOid(oid.mgf1), hashing)),
      derExplicit(2, derUnsigned(Buffer.from([pss.saltLength]))),
    ),
  );
}
