import { digestLength, type HashType } from '../../domain/shared/digest.ts';
import {
  derOctetString,
  derOid,
  derSequence,
  derTrue,
  derUnsigned,
  derValue,
} from '../pki/kernel/der.ts';
import {
  derReader,
  derTag,
  type DerReader,
  MalformedDer,
  readBoolean,
  readDer,
  readInteger,
  readOid,
  readSmallInteger,
} from '../pki/kernel/derReader.ts';
import { hashAlgorithm, hashOf } from '../pki/hashAlgorithms.ts';
import type { FailureInfo } from './timestampResponse.ts';

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
