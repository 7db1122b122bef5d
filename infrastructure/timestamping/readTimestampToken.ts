import type { HashType } from '../../domain/shared/digest.ts';
import {
  derReader,
  derTag,
  type DerReader,
  MalformedDer,
  readDer,
  readGeneralizedTime,
  readInteger,
  readOid,
  readSmallInteger,
} from '../pki/derReader.ts';
import { hashOf } from '../pki/hashAlgorithms.ts';
import { oid } from '../pki/oids.ts';

/** A TimeStampToken taken apart; nothing in it is verified. */
export interface TimestampToken {
  /** TSTInfo, DER: what is signed. */
  readonly content: Buffer;
  /** Dotted OID. */
  readonly policy: string;
  readonly hash: HashType;
  readonly digest: Buffer;
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  readonly time: Date;
  /** Content of the INTEGER; null: none. */
  readonly nonce: Buffer | null;
  /** Certificates sent along, DER. */
  readonly certificates: readonly Buffer[];
  readonly signer: TokenSigner;
}

export interface TokenSigner {
  /** Name, DER. */
  readonly issuer: Buffer;
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  readonly hash: HashType;
  /** The signed attributes as sent, under the tag `[0]`. */
  readonly attributes: Buffer;
  readonly messageDigest: Buffer;
  readonly certificateHash: CertificateHash;
  /** Dotted OID. */
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
}

/** How the signing certificate is named by its hash (RFC 5035); SHA-1 only in the older form (RFC 2634 §5.4). */
export interface CertificateHash {
  readonly algorithm: HashType | 'sha1';
  readonly value: Buffer;
}

/** Reads a TimeStampToken (RFC 3161 §2.4.2). @throws MalformedDer when it is none with exactly one signer */
export function readTimestampToken(bytes: Uint8Array): TimestampToken {
  const contentInfo = derReader(readDer(bytes, derTag.sequence).content);
  expectOid(contentInfo, oid.signedData);
  const signedData = contentInfo.enter(derTag.constructed(0)).enter(derTag.sequence);
  signedData.element(derTag.integer);
  signedData.element(derTag.set);
  const encapsulated = signedData.enter(derTag.sequence);
  expectOid(encapsulated, oid.timestampInfo);
  const content = encapsulated.enter(derTag.constructed(0)).element(derTag.octetString).content;
  const certificates = signedData.optional(derTag.constructed(0));
  signedData.optional(derTag.constructed(1));
  const signers = signedData.enter(derTag.set);
  const signer = readSigner(signers.enter(derTag.sequence));
  signers.end();
  return {
    content,
    ...readStatement(content),
    certificates: certificates === null ? [] : sequencesIn(certificates.content),
    signer,
  };
}

function readStatement(bytes: Buffer) {
  const info = derReader(readDer(bytes, derTag.sequence).content);
  if (readSmallInteger(info.element(derTag.integer)) !== 1) {
    throw new MalformedDer('The token has another version.');
  }
  const policy = readOid(info.element(derTag.oid));
  const imprint = info.enter(derTag.sequence);
  const hash = knownHash(imprint);
  const digest = imprint.element(derTag.octetString).content;
  const serial = readInteger(info.element(derTag.integer));
  const time = readGeneralizedTime(info.element(derTag.generalizedTime));
  info.optional(derTag.sequence);
  info.optional(derTag.boolean);
  const nonce = info.optional(derTag.integer);
  return { policy, hash, digest, serial, time, nonce: nonce === null ? null : readInteger(nonce) };
}

function readSigner(signer: DerReader): TokenSigner {
  signer.element(derTag.integer);
  const named = signer.enter(derTag.sequence);
  const issuer = named.element(derTag.sequence).bytes;
  const serial = named.element(derTag.integer).content;
  const hash = knownHash(signer);
  const attributes = signer.element(derTag.constructed(0));
  const signatureAlgorithm = readOid(signer.enter(derTag.sequence).element(derTag.oid));
  const signature = signer.element(derTag.octetString).content;
  return {
    ...{ issuer, serial, hash, attributes: attributes.bytes, signatureAlgorithm, signature },
    ...readAttributes(attributes.content),
  };
}

function readAttributes(bytes: Buffer): Pick<TokenSigner, 'messageDigest' | 'certificateHash'> {
  const attributes = new Map<string, DerReader>();
  const list = derReader(bytes);
  while (!list.atEnd) {
    const attribute = list.enter(derTag.sequence);
    const type = readOid(attribute.element(derTag.oid));
    if (attributes.has(type)) throw new MalformedDer('An attribute comes twice.');
    attributes.set(type, attribute.enter(derTag.set));
  }
  const value = (type: string) => {
    const found = attributes.get(type);
    if (found === undefined) throw new MalformedDer('A signed attribute is missing.');
    return found;
  };
  expectOid(value(oid.contentType), oid.timestampInfo);
  const messageDigest = value(oid.messageDigest).element(derTag.octetString).content;
  const certificateHash = attributes.has(oid.signingCertificateV2)
    ? readCertificateHash(value(oid.signingCertificateV2))
    : { algorithm: 'sha1' as const, value: firstHash(value(oid.signingCertificate)) };
  return { messageDigest, certificateHash };
}

/** The first ESSCertIDv2 is the signer's (RFC 5035 §3). */
function readCertificateHash(value: DerReader): CertificateHash {
  const first = value.enter(derTag.sequence).enter(derTag.sequence).enter(derTag.sequence);
  const algorithm = first.optional(derTag.sequence);
  const hash = algorithm === null ? 'SHA256' : hashOf(algorithm.bytes);
  if (hash === null) throw new MalformedDer('A hash algorithm is not known.');
  return { algorithm: hash, value: first.element(derTag.octetString).content };
}

function firstHash(value: DerReader): Buffer {
  const first = value.enter(derTag.sequence).enter(derTag.sequence).enter(derTag.sequence);
  return first.element(derTag.octetString).content;
}

function knownHash(reader: DerReader): HashType {
  const hash = hashOf(reader.element(derTag.sequence).bytes);
  if (hash === null) throw new MalformedDer('A hash algorithm is not known.');
  return hash;
}

function expectOid(reader: DerReader, expected: string): void {
  if (readOid(reader.element(derTag.oid)) !== expected) {
    throw new MalformedDer('The content is of another type.');
  }
}

/** Certificates; other forms of the choice are tagged otherwise and of no use here (RFC 5652 §10.2.2). */
function sequencesIn(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  const reader = derReader(bytes);
  while (!reader.atEnd) {
    const { tag, bytes: each } = reader.element();
    if (tag === derTag.sequence) found.push(each);
  }
  return found;
}
