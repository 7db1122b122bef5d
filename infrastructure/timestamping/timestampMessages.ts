import { digestLength, type HashType } from '../../domain/shared/digest.ts';
import {
  derOctetString,
  derOid,
  derSequence,
  derTrue,
  derUnsigned,
  derUtf8,
  derValue,
} from '../pki/kernel/der.ts';
import {
  type DerElement,
  derReader,
  type DerReader,
  derTag,
  MalformedDer,
  readBoolean,
  readDer,
  readGeneralizedTime,
  readInteger,
  readOid,
  readSmallInteger,
} from '../pki/kernel/derReader.ts';
import {
  hashAlgorithm,
  hashOf,
  readSignedAttributes,
  readSignedData,
  type SignerInfo,
} from '../pki/signedData.ts';
import { oid } from '../pki/kernel/oids.ts';

/** Content of a TimeStampReq (RFC 3161 §2.4.1). */
export interface TimestampRequest {
  readonly hash: HashType;
  readonly digest: Uint8Array;
  /** Dotted OID; null: the authority's default. */
  readonly policy: string | null;
  /** Content of the INTEGER; null: none. */
  readonly nonce: Uint8Array | null;
  /** True when the token must include the authority's certificate. */
  readonly certificateWanted: boolean;
}

/** A refused request, with a reason of RFC 3161 §2.4.2. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly failure: FailureInfo;

  constructor(failure: FailureInfo) {
    super(failure);
    this.failure = failure;
  }
}

const version1 = derUnsigned(Buffer.from([1]));

/** MessageImprint, DER. */
export function encodeImprint(hash: HashType, digest: Uint8Array): Buffer {
  return derSequence(hashAlgorithm[hash], derOctetString(digest));
}

/** TimeStampReq, DER. */
export function encodeTimestampRequest(request: TimestampRequest): Buffer {
  return derSequence(
    version1,
    encodeImprint(request.hash, request.digest),
    ...(request.policy === null ? [] : [derOid(request.policy)]),
    ...(request.nonce === null ? [] : [derValue(derTag.integer, request.nonce)]),
    ...(request.certificateWanted ? [derTrue] : []),
  );
}

/** Reads a TimeStampReq. @throws RefusedRequest */
export function decodeTimestampRequest(bytes: Uint8Array): TimestampRequest {
  try {
    return readRequest(derReader(readDer(bytes, derTag.sequence).content));
  } catch (error) {
    throw error instanceof MalformedDer ? new RefusedRequest('badDataFormat') : error;
  }
}

function readRequest(reader: DerReader): TimestampRequest {
  if (readSmallInteger(reader.element(derTag.integer)) !== 1) {
    throw new RefusedRequest('badRequest');
  }
  const imprint = reader.enter(derTag.sequence);
  const algorithm = imprint.element(derTag.sequence).bytes;
  const digest = imprint.element(derTag.octetString).content;
  imprint.end();
  const policy = reader.optional(derTag.oid);
  const nonce = reader.optional(derTag.integer);
  const certReq = reader.optional(derTag.boolean);
  const request = {
    policy: policy === null ? null : readOid(policy),
    nonce: nonce === null ? null : readInteger(nonce),
    certificateWanted: certReq !== null && readBoolean(certReq),
  };
  // No extension is defined that an authority must support (§2.4.1).
  if (reader.optional(derTag.constructed(0)) !== null) {
    throw new RefusedRequest('unacceptedExtension');
  }
  reader.end();
  const hash = hashOf(algorithm);
  if (hash === null) throw new RefusedRequest('badAlg');
  if (digest.length !== digestLength[hash]) throw new RefusedRequest('badDataFormat');
  return { ...request, hash, digest };
}

/** A parsed TimeStampToken; nothing in it is verified. */
export interface TimestampToken {
  /** TSTInfo, DER: the signed content. */
  readonly content: Buffer;
  /** Dotted OID. */
  readonly policy: string;
  readonly hash: HashType;
  readonly digest: Buffer;
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  readonly time: Date;
  /** Whole seconds by which the time may be wrong; 0: less than one, or not stated. */
  readonly accuracySeconds: number;
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
  /** The signed attributes as transmitted, under the tag `[0]`. */
  readonly attributes: Buffer;
  readonly messageDigest: Buffer;
  readonly certificateHash: CertificateHash;
  /** Dotted OID. */
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
}

/** Hash that identifies the signing certificate (RFC 5035); SHA-1 only in the older form (RFC 2634 §5.4). */
export interface CertificateHash {
  readonly algorithm: HashType | 'sha1';
  readonly value: Buffer;
}

/** Reads a TimeStampToken (RFC 3161 §2.4.2). @throws MalformedDer, also unless it has exactly one signer */
export function readTimestampToken(bytes: Uint8Array): TimestampToken {
  const { contentType, content, certificates, signers } = readSignedData(bytes);
  const [signer, ...others] = signers;
  if (contentType !== oid.timestampInfo || content === null) {
    throw new MalformedDer('The signed content is of another type than stated.');
  }
  if (signer === undefined || others.length > 0)
    throw new MalformedDer('There is not exactly one signer.');
  return { content, ...readStatement(content), certificates, signer: readSigner(signer) };
}

function readStatement(bytes: Buffer) {
  const info = derReader(readDer(bytes, derTag.sequence).content);
  if (readSmallInteger(info.element(derTag.integer)) !== 1) {
    throw new MalformedDer('The token is not of version 1.');
  }
  const policy = readOid(info.element(derTag.oid));
  const imprint = info.enter(derTag.sequence);
  const hash = known(hashOf(imprint.element(derTag.sequence).bytes));
  const digest = imprint.element(derTag.octetString).content;
  const serial = readInteger(info.element(derTag.integer));
  const time = readGeneralizedTime(info.element(derTag.generalizedTime));
  const accuracySeconds = readAccuracy(info.optional(derTag.sequence));
  info.optional(derTag.boolean);
  const found = info.optional(derTag.integer);
  const nonce = found === null ? null : readInteger(found);
  return { policy, hash, digest, serial, time, accuracySeconds, nonce };
}

/** The seconds of an Accuracy, which come first. */
function readAccuracy(accuracy: DerElement | null): number {
  const seconds = accuracy === null ? null : derReader(accuracy.content).optional(derTag.integer);
  return seconds === null ? 0 : readSmallInteger(seconds);
}

function readSigner(info: SignerInfo): TokenSigner {
  const { identifier, attributes, signature } = info;
  if (!('issuer' in identifier) || attributes === null) {
    throw new MalformedDer(
      'The signer is not identified by issuer and serial number, or has no signed attributes.',
    );
  }
  const algorithm = derReader(readDer(info.signatureAlgorithm, derTag.sequence).content);
  return {
    issuer: identifier.issuer,
    serial: identifier.serial,
    attributes,
    signature,
    hash: known(hashOf(info.digestAlgorithm)),
    signatureAlgorithm: readOid(algorithm.element(derTag.oid)),
    ...readAttributes(attributes),
  };
}

function readAttributes(bytes: Buffer): Pick<TokenSigner, 'messageDigest' | 'certificateHash'> {
  const attributes = readSignedAttributes(bytes);
  const value = (type: string) => {
    const found = attributes.get(type);
    if (found === undefined) throw new MalformedDer('A signed attribute is missing.');
    return derReader(found);
  };
  if (readOid(value(oid.contentType).element(derTag.oid)) !== oid.timestampInfo) {
    throw new MalformedDer('The signed content is of another type than stated.');
  }
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
  const hash = algorithm === null ? 'SHA256' : known(hashOf(algorithm.bytes));
  return { algorithm: hash, value: first.element(derTag.octetString).content };
}

function firstHash(value: DerReader): Buffer {
  const first = value.enter(derTag.sequence).enter(derTag.sequence).enter(derTag.sequence);
  return first.element(derTag.octetString).content;
}

function known(hash: HashType | null): HashType {
  if (hash === null) throw new MalformedDer('A hash algorithm is not known.');
  return hash;
}

/** PKIFailureInfo by bit number (RFC 3161 §2.4.2). */
const failureBit = {
  badAlg: 0,
  badRequest: 2,
  badDataFormat: 5,
  timeNotAvailable: 14,
  unacceptedPolicy: 15,
  unacceptedExtension: 16,
  addInfoNotAvailable: 17,
  systemFailure: 25,
} as const;

type FailureInfo = keyof typeof failureBit;

const GRANTED = 0;
const GRANTED_WITH_MODIFICATIONS = 1;
const REJECTION = 2;

const granted = derSequence(derUnsigned(Buffer.from([GRANTED])));

/** TimeStampResp, DER, with a token. */
export function grantingResponse(token: Uint8Array): Buffer {
  return derSequence(granted, token);
}

/** TimeStampResp, DER, with the reason for the refusal. */
export function refusingResponse(failure: FailureInfo): Buffer {
  const bit = failureBit[failure];
  const bytes = Buffer.alloc(1 + (bit >> 3) + 1);
  // Named bits have no trailing zeros in DER: the last byte ends with this one.
  bytes[0] = 7 - (bit & 7);
  bytes[bytes.length - 1] = 0x80 >> (bit & 7);
  const status = derSequence(
    derUnsigned(Buffer.from([REJECTION])),
    derSequence(derUtf8(failure)),
    derValue(derTag.bitString, bytes),
  );
  return derSequence(status);
}

/** Parsed response of an authority. */
export type TimestampAnswer =
  | { readonly status: 'granted'; readonly token: Buffer }
  | { readonly status: 'refused'; readonly reason: string };

/** Reads a TimeStampResp. @throws MalformedDer */
export function decodeTimestampResponse(bytes: Uint8Array): TimestampAnswer {
  const response = derReader(readDer(bytes, derTag.sequence).content);
  const info = response.enter(derTag.sequence);
  const status = readSmallInteger(info.element(derTag.integer));
  if (status !== GRANTED && status !== GRANTED_WITH_MODIFICATIONS) {
    info.optional(derTag.sequence);
    const failure = info.optional(derTag.bitString);
    const reasons = failure === null ? [] : failuresOf(failure.content);
    return { status: 'refused', reason: reasons.join(', ') || `status ${status}` };
  }
  const token = response.element(derTag.sequence).bytes;
  response.end();
  return { status: 'granted', token };
}

function failuresOf(bitString: Buffer): readonly string[] {
  const isSet = (bit: number) => (((bitString[1 + (bit >> 3)] ?? 0) << (bit & 7)) & 0x80) !== 0;
  return Object.entries(failureBit)
    .filter(([, bit]) => isSet(bit))
    .map(([name]) => name);
}
