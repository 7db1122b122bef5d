import {
  derReader,
  type DerReader,
  derTag,
  MalformedDer,
  readDer,
  readOid,
} from './kernel/derReader.ts';
import { oid } from './kernel/oids.ts';
import {
  derExplicit,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derUnsigned,
  derValue,
} from './kernel/der.ts';
import type { HashAlgorithm, HashType } from '../../domain/shared/digest.ts';
import { createHash } from 'node:crypto';
import { certificateFields } from './kernel/certificate.ts';

/** A parsed CMS SignedData (RFC 5652 §5.1); nothing in it is verified. */
export interface SignedData {
  /** Dotted OID of the content. */
  readonly contentType: string;
  /** The content; null when detached. */
  readonly content: Buffer | null;
  /** Certificates sent along, DER. */
  readonly certificates: readonly Buffer[];
  readonly signers: readonly SignerInfo[];
}

/** One SignerInfo (RFC 5652 §5.3). */
export interface SignerInfo {
  readonly identifier: SignerIdentifier;
  /** AlgorithmIdentifier, DER. */
  readonly digestAlgorithm: Buffer;
  /** The signed attributes as transmitted, under the tag `[0]`; null: none. */
  readonly attributes: Buffer | null;
  /** AlgorithmIdentifier, DER. */
  readonly signatureAlgorithm: Buffer;
  readonly signature: Buffer;
}

/**
 * Reference of a signer to its certificate: by issuer (Name, DER) and serial number (content), or by key identifier.
 */
export type SignerIdentifier =
  { readonly issuer: Buffer; readonly serial: Buffer } | { readonly subjectKeyIdentifier: Buffer };

/** Largest number of signers accepted. */
const MOST_SIGNERS = 16;

/** Reads a ContentInfo that holds SignedData. @throws MalformedDer */
export function readSignedData(bytes: Uint8Array): SignedData {
  const contentInfo = derReader(readDer(bytes, derTag.sequence).content);
  if (readOid(contentInfo.element(derTag.oid)) !== oid.signedData) {
    throw new MalformedDer('The signed content is of another type than stated.');
  }
  const signedData = contentInfo.enter(derTag.constructed(0)).enter(derTag.sequence);
  signedData.element(derTag.integer);
  signedData.element(derTag.set);
  const encapsulated = signedData.enter(derTag.sequence);
  const contentType = readOid(encapsulated.element(derTag.oid));
  const content = encapsulated.optional(derTag.constructed(0));
  const certificates = signedData.optional(derTag.constructed(0));
  signedData.optional(derTag.constructed(1));
  return {
    contentType,
    content: content === null ? null : readDer(content.content, derTag.octetString).content,
    certificates: certificates === null ? [] : sequencesIn(certificates.content),
    signers: readSigners(signedData.enter(derTag.set)),
  };
}

/**
 * Values of signed attributes by type, each type once.
 *
 * @param attributes as transmitted, under the tag `[0]`
 * @throws MalformedDer
 */
export function readSignedAttributes(attributes: Buffer): ReadonlyMap<string, Buffer> {
  const values = new Map<string, Buffer>();
  const list = derReader(readDer(attributes, derTag.constructed(0)).content);
  while (!list.atEnd) {
    const attribute = list.enter(derTag.sequence);
    const type = readOid(attribute.element(derTag.oid));
    if (values.has(type)) throw new MalformedDer('An attribute comes twice.');
    values.set(type, attribute.element(derTag.set).content);
  }
  return values;
}

/** Converts signed attributes from the transmitted tag to the signed SET OF (RFC 5652 §5.4). */
export function asSigned(attributes: Buffer): Buffer {
  const signed = Buffer.from(attributes);
  signed[0] = derTag.set;
  return signed;
}

function readSigners(list: DerReader): readonly SignerInfo[] {
  const signers: SignerInfo[] = [];
  while (!list.atEnd) {
    if (signers.length === MOST_SIGNERS) throw new MalformedDer('There are too many signers.');
    signers.push(readSigner(list.enter(derTag.sequence)));
  }
  return signers;
}

function readSigner(signer: DerReader): SignerInfo {
  signer.element(derTag.integer);
  const identifier = readIdentifier(signer);
  const digestAlgorithm = signer.element(derTag.sequence).bytes;
  const attributes = signer.optional(derTag.constructed(0))?.bytes ?? null;
  const signatureAlgorithm = signer.element(derTag.sequence).bytes;
  const signature = signer.element(derTag.octetString).content;
  return { identifier, digestAlgorithm, attributes, signatureAlgorithm, signature };
}

function readIdentifier(signer: DerReader): SignerIdentifier {
  const byKey = signer.optional(derTag.primitive(0));
  if (byKey !== null) return { subjectKeyIdentifier: byKey.content };
  const named = signer.enter(derTag.sequence);
  return {
    issuer: named.element(derTag.sequence).bytes,
    serial: named.element(derTag.integer).content,
  };
}

/** Certificates; other forms of the choice have other tags and are skipped (RFC 5652 §10.2.2). */
function sequencesIn(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  const reader = derReader(bytes);
  while (!reader.atEnd) {
    const { tag, bytes: each } = reader.element();
    if (tag === derTag.sequence) found.push(each);
  }
  return found;
}

// Building blocks of every CMS SignedData (RFC 5652) here.

/** An Attribute of one value, DER. */
export function cmsAttribute(type: string, value: Uint8Array): Buffer {
  return derSequence(derOid(type), derSet(value));
}

/** `[number] IMPLICIT SET OF`. */
export function implicitSet(number: number, ...items: readonly Uint8Array[]): Buffer {
  const set = derSet(...items);
  set[0] = derTag.constructed(number);
  return set;
}

/** Converts signed attributes from the signed SET OF to the transmitted tag `[0]` (RFC 5652 §5.4). */
export function asSent(attributes: Uint8Array): Buffer {
  const sent = Buffer.from(attributes);
  sent[0] = derTag.constructed(0);
  return sent;
}

const hashOids: Readonly<Record<HashType, string>> = {
  SHA256: oid.sha256,
  SHA384: oid.sha384,
  SHA512: oid.sha512,
};

/** AlgorithmIdentifier, DER, without parameters (RFC 5754 §2). */
export const hashAlgorithm: Readonly<Record<HashType, Buffer>> = {
  SHA256: derSequence(derOid(oid.sha256)),
  SHA384: derSequence(derOid(oid.sha384)),
  SHA512: derSequence(derOid(oid.sha512)),
};

/** AlgorithmIdentifier with NULL parameters, as many programs send it. */
const withNull = (hash: HashType) => derSequence(derOid(hashOids[hash]), derNull);

const byEncoding = new Map<string, HashType>(
  (['SHA256', 'SHA384', 'SHA512'] as const).flatMap((hash) => [
    [hashAlgorithm[hash].toString('hex'), hash] as const,
    [withNull(hash).toString('hex'), hash] as const,
  ]),
);

/** Hash named by an AlgorithmIdentifier, parameters absent or NULL; null when unsupported. */
export function hashOf(algorithmIdentifier: Buffer): HashType | null {
  return byEncoding.get(algorithmIdentifier.toString('hex')) ?? null;
}

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
