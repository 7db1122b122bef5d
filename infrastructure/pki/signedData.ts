import {
  derReader,
  type DerReader,
  derTag,
  MalformedDer,
  readDer,
  readOid,
} from './kernel/derReader.ts';
import { oid } from './kernel/oids.ts';
import { derNull, derOid, derSequence, derSet } from './kernel/der.ts';
import type { HashType } from '../../domain/shared/digest.ts';

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
