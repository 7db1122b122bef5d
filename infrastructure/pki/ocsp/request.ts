import { derOid } from '../kernel/der.ts';
import {
  type DerReader,
  derReader,
  derTag,
  MalformedDer,
  readBoolean,
  readDer,
  readInteger,
} from '../kernel/derReader.ts';
import { oid } from '../kernel/oids.ts';

/** Certificate in a request (RFC 6960 §4.1.1, CertID). */
export interface CertificateId {
  /** The whole CertID, repeated in the response byte for byte. */
  readonly bytes: Buffer;
  /** AlgorithmIdentifier, issuerNameHash and issuerKeyHash, verbatim: they identify the issuer. */
  readonly issuer: Buffer;
  /** Lower-case hexadecimal, without the sign byte. */
  readonly serial: string;
}

export interface OcspRequest {
  /** At least one. */
  readonly certificates: readonly CertificateId[];
  /** Value of the nonce extension, DER, to be repeated; null without one. */
  readonly nonce: Buffer | null;
}

/** A critical extension that this responder does not support. */
export class UnknownCriticalExtension extends Error {
  override readonly name = 'UnknownCriticalExtension';
}

const NONCE = derOid(oid.ocspNonce);
const LONGEST_NONCE = 128;
/** RFC 5280 §4.1.2.2. */
const LONGEST_SERIAL = 20;

/**
 * Reads an OCSPRequest (RFC 6960 §4.1.1). Requestor name and signature are ignored: the responses are public.
 *
 * @throws MalformedDer also for a nonce that is not 1 to 128 bytes long (RFC 9654 §2.1)
 * @throws UnknownCriticalExtension
 */
export function readOcspRequest(bytes: Buffer): OcspRequest {
  const request = derReader(readDer(bytes, derTag.sequence).content);
  const tbs = request.enter(derTag.sequence);
  request.optional(derTag.constructed(0));
  request.end();

  const version = tbs.optional(derTag.constructed(0));
  if (version !== null && !version.content.equals(VERSION_1)) {
    throw new MalformedDer('The version is unknown.');
  }
  tbs.optional(derTag.constructed(1));
  const list = tbs.enter(derTag.sequence);
  const certificates: CertificateId[] = [];
  while (!list.atEnd) certificates.push(readSingle(list.enter(derTag.sequence)));
  if (certificates.length === 0) throw new MalformedDer('Nothing is asked for.');
  const extensions = tbs.optional(derTag.constructed(2));
  tbs.end();
  return { certificates, nonce: extensions === null ? null : readNonce(extensions.content) };
}

const VERSION_1 = Buffer.from([0x02, 0x01, 0x00]);

function readSingle(request: DerReader): CertificateId {
  const { bytes, content } = request.element(derTag.sequence);
  const extensions = request.optional(derTag.constructed(0));
  request.end();
  if (extensions !== null) readExtensions(extensions.content, () => false);
  const id = derReader(content);
  const algorithm = id.element(derTag.sequence).bytes;
  const name = id.element(derTag.octetString).bytes;
  const key = id.element(derTag.octetString).bytes;
  const serial = readInteger(id.element(derTag.integer));
  id.end();
  const digits = serial[0] === 0 && serial.length > 1 ? serial.subarray(1) : serial;
  if (digits.length > LONGEST_SERIAL) throw new MalformedDer('A serial number is too long.');
  return {
    bytes,
    issuer: content.subarray(0, algorithm.length + name.length + key.length),
    serial: digits.toString('hex'),
  };
}

function readNonce(extensions: Buffer): Buffer | null {
  let nonce: Buffer | null = null;
  readExtensions(extensions, (id, value) => {
    if (!id.equals(NONCE)) return false;
    const { length } = readDer(value, derTag.octetString).content;
    if (length < 1 || length > LONGEST_NONCE || nonce !== null) {
      throw new MalformedDer('The nonce is not 1 to 128 bytes long.');
    }
    nonce = value;
    return true;
  });
  return nonce;
}

/** @param take returns false for an unsupported OBJECT IDENTIFIER (DER) */
function readExtensions(bytes: Buffer, take: (id: Buffer, value: Buffer) => boolean): void {
  const list = derReader(readDer(bytes, derTag.sequence).content);
  while (!list.atEnd) {
    const extension = list.enter(derTag.sequence);
    const id = extension.element(derTag.oid).bytes;
    const flag = extension.optional(derTag.boolean);
    const isCritical = flag !== null && readBoolean(flag);
    const { content } = extension.element(derTag.octetString);
    extension.end();
    if (!take(id, content) && isCritical) {
      throw new UnknownCriticalExtension('A critical extension is not known.');
    }
  }
}
