import type { X509Certificate } from 'node:crypto';
import { parseX509 } from '../certificationPath.ts';
import { certificateSignature } from '../kernel/certificateSignature.ts';
import {
  type DerReader,
  derReader,
  derTag,
  MalformedDer,
  readDer,
  readGeneralizedTime,
  readOid,
} from '../kernel/derReader.ts';
import { oid } from '../kernel/oids.ts';
import { parseSignedCertificate, read } from '../parsedCertificate.ts';
import { isSignedBy, signatureScheme } from '../kernel/statedSignature.ts';

/** Status of one certificate in a response. */
export interface CertificateAnswer {
  readonly status: 'GOOD' | 'REVOKED' | 'UNKNOWN';
  readonly thisUpdate: Date;
  /** Null: newer information is always available. */
  readonly nextUpdate: Date | null;
}

export interface OcspQuestion {
  /** CertID, DER, as requested. */
  readonly id: Buffer;
  /** Value of the nonce extension, DER, as sent. */
  readonly nonce: Buffer;
  readonly issuer: X509Certificate;
  readonly now: Date;
}

/** Difference allowed between this clock and an authority's, ms. */
export const authorityClockMs = 5 * 60_000;

const ENUMERATED = 0x0a;
/** CertStatus by tag (RFC 6960 §4.2.1). */
const statuses: Readonly<Record<number, CertificateAnswer['status']>> = {
  0x80: 'GOOD',
  0xa1: 'REVOKED',
  0x82: 'UNKNOWN',
};

/**
 * Reads the status of the requested certificate from an OCSPResponse (RFC 6960 §4.2.1) signed by its issuer or a
 * delegate of it. The caller checks freshness.
 *
 * @returns null when the status is missing, the signer is another, or the nonce differs
 * @throws MalformedDer, Error for a malformed certificate
 */
export function readOcspResponse(bytes: Buffer, question: OcspQuestion): CertificateAnswer | null {
  const whole = derReader(readDer(bytes, derTag.sequence).content);
  if (!whole.element(ENUMERATED).content.equals(Buffer.from([0]))) return null;
  const body = whole.enter(derTag.constructed(0)).enter(derTag.sequence);
  if (readOid(body.element(derTag.oid)) !== oid.ocspBasic) return null;
  const basic = derReader(
    readDer(body.element(derTag.octetString).content, derTag.sequence).content,
  );
  const data = basic.element(derTag.sequence);
  const algorithm = basic.element(derTag.sequence).bytes;
  const signature = basic.element(derTag.bitString).content.subarray(1);
  const sent = basic.optional(derTag.constructed(0));
  const scheme = signatureScheme(algorithm, null);
  const isRight =
    scheme !== null &&
    signersIn(sent?.content ?? null, question).some((signer) =>
      isSignedBy(signer.publicKey, scheme, data.bytes, signature),
    );
  return isRight ? answerIn(data.content, question) : null;
}

/** The issuer, and the responders it delegates to (§4.2.2.2). */
function signersIn(
  sent: Buffer | null,
  { issuer, now }: OcspQuestion,
): readonly [X509Certificate, ...X509Certificate[]] {
  if (sent === null) return [issuer];
  const [first] = certificatesIn(readDer(sent, derTag.sequence).content);
  return first !== undefined && isDelegate(first, issuer, now) ? [issuer, first] : [issuer];
}

function certificatesIn(list: Buffer): readonly X509Certificate[] {
  const reader = derReader(list);
  return reader.atEnd ? [] : [parseX509(reader.element(derTag.sequence).bytes)];
}

function isDelegate(certificate: X509Certificate, issuer: X509Certificate, now: Date): boolean {
  const { signed, algorithm, signature } = certificateSignature(certificate.raw);
  const scheme = signatureScheme(algorithm, null);
  const purposes = read.extendedKeyUsage(parseSignedCertificate(certificate.raw));
  return (
    scheme !== null &&
    certificate.checkIssued(issuer) &&
    isSignedBy(issuer.publicKey, scheme, signed, signature) &&
    purposes?.includes(oid.ocspSigning) === true &&
    Date.parse(certificate.validFrom) <= now.getTime() + authorityClockMs &&
    now.getTime() - authorityClockMs <= Date.parse(certificate.validTo)
  );
}

function answerIn(data: Buffer, { id, nonce }: OcspQuestion): CertificateAnswer | null {
  const fields = derReader(data);
  fields.optional(derTag.constructed(0));
  fields.element();
  fields.element(derTag.generalizedTime);
  const singles = fields.enter(derTag.sequence);
  const extensions = fields.optional(derTag.constructed(1));
  if (!answersNonce(extensions?.content ?? null, nonce)) return null;
  while (!singles.atEnd) {
    const single = singles.enter(derTag.sequence);
    if (isSame(single.element(derTag.sequence).content, id)) return readSingle(single);
  }
  return null;
}

function readSingle(single: DerReader): CertificateAnswer {
  const { tag } = single.element();
  const status = statuses[tag];
  if (status === undefined) throw new MalformedDer('A status is none.');
  const thisUpdate = readGeneralizedTime(single.element(derTag.generalizedTime));
  const next = single.optional(derTag.constructed(0));
  const nextUpdate =
    next === null ? null : readGeneralizedTime(readDer(next.content, derTag.generalizedTime));
  return { status, thisUpdate, nextUpdate };
}

/** Compares hash, issuer and serial; NULL and absent parameters of the hash are equal (RFC 5754 §2). */
function isSame(answered: Buffer, asked: Buffer): boolean {
  const parts = (content: Buffer) => {
    const id = derReader(content);
    const hash = id.enter(derTag.sequence).element(derTag.oid).bytes;
    const named = [derTag.octetString, derTag.octetString, derTag.integer];
    return Buffer.concat([hash, ...named.map((tag) => id.element(tag).bytes)]);
  };
  return parts(answered).equals(parts(readDer(asked, derTag.sequence).content));
}

/** A prepared response has no nonce (RFC 9654 §2.1); one with another nonce is refused. */
function answersNonce(extensions: Buffer | null, nonce: Buffer): boolean {
  if (extensions === null) return true;
  const list = derReader(readDer(extensions, derTag.sequence).content);
  while (!list.atEnd) {
    const extension = list.enter(derTag.sequence);
    const isNonce = readOid(extension.element(derTag.oid)) === oid.ocspNonce;
    extension.optional(derTag.boolean);
    const value = extension.element(derTag.octetString).content;
    if (isNonce && !value.equals(nonce)) return false;
  }
  return true;
}
