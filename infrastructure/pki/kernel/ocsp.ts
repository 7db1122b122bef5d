import { createHash } from 'node:crypto';
import { isSignedByAuthority } from './authoritySignature.ts';
import {
  type CertificateDetails,
  type CertificateSignature,
  isWithinValidity,
  type Moment,
  readableAmong,
  readCertificate,
  readExtensions,
} from './certificate.ts';
import { derExplicit, derNull, derOctetString, derOid, derSequence, derValue } from './der.ts';
import {
  childrenOf,
  contentOf,
  type DerElement,
  derTag,
  readBitString,
  readDer,
  readOid,
  readTime,
} from './derReader.ts';
import { oid } from './oids.ts';

/** OCSP request: certificate and issuer (RFC 6960 §4.1.1 CertID). */
export interface OcspQuestion {
  readonly certificate: CertificateDetails;
  readonly issuer: CertificateDetails;
  /** 1 to 32 bytes (RFC 8954); null: not sent. */
  readonly nonce: Buffer | null;
}

/** Verified OCSP response; times in ms since 1970. */
export interface OcspAnswer {
  readonly status: 'good' | 'revoked' | 'unknown';
  readonly hasNonce: boolean;
  readonly thisUpdate: number;
  /** End of validity: nextUpdate, or the lifetime without it. */
  readonly validUntil: number;
}

/** Policy of the one who asks. */
export interface OcspPolicy extends Moment {
  /** Lifetime of a response without nextUpdate, ms. */
  readonly withoutNextUpdateMs: number;
}

/** Certificates read in a response: it needs one, and a hostile one may hold thousands. */
const MAX_CERTIFICATES = 4;

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest();

/**
 * Fields of a CertID that name the issuer, DER, concatenated. SHA-1 only names it, is known to every
 * responder (RFC 6960 §4.3), and has no security role.
 *
 * @param parameters of the hash: NULL or absent
 */
export function issuerId(
  { subjectName, publicKeyBits }: CertificateDetails,
  hash: 'sha1' | 'sha256' = 'sha1',
  parameters: readonly Buffer[] = [derNull],
): Buffer {
  const digest = (bytes: Buffer) => derOctetString(createHash(hash).update(bytes).digest());
  return Buffer.concat([
    derSequence(derOid(oid[hash]), ...parameters),
    digest(subjectName),
    digest(publicKeyBits),
  ]);
}

function certId({ certificate, issuer }: OcspQuestion): Buffer {
  return derSequence(issuerId(issuer), derValue(derTag.integer, certificate.serial));
}

/** An OCSPRequest for one certificate (RFC 6960 §4.1.1), DER. */
export function buildOcspRequest(question: OcspQuestion): Buffer {
  const requests = derSequence(derSequence(certId(question)));
  if (question.nonce === null) return derSequence(derSequence(requests));
  const nonce = derSequence(derOid(oid.ocspNonce), derOctetString(derOctetString(question.nonce)));
  return derSequence(derSequence(requests, derExplicit(2, derSequence(nonce))));
}

/** True for what begins as an OCSPResponse does, with its status; it may be none all the same. */
export function isOcspAnswer(der: Buffer): boolean {
  try {
    return childrenOf(readDer(der, derTag.sequence))[0]?.tag === derTag.enumerated;
  } catch {
    return false;
  }
}

/** Verified status of one certificate in a response of any age; times in ms since 1970. */
export interface OcspStatement {
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  readonly status: OcspAnswer['status'];
  readonly thisUpdate: number;
  /** Null unless revoked; the reason is 0 where none is stated. */
  readonly revocation: { readonly revokedAt: number; readonly reason: number } | null;
}

/**
 * Reads everything that an OCSPResponse says of certificates of this issuer, whenever it was made: a nonce is somebody
 * else's. A responder appointed then counts, although its certificate has ended since.
 *
 * @throws Error with the failed check
 */
export function readOcspStatements(
  der: Buffer,
  issuer: CertificateDetails,
): readonly OcspStatement[] {
  const { responses } = verifiedResponse(der, issuer, null);
  const ids = [issuerId(issuer), issuerId(issuer, 'sha256')];
  return responses.flatMap((response): readonly OcspStatement[] => {
    const [id, certStatus, thisUpdate] = childrenOf(response);
    if (id === undefined) return [];
    const serial = childrenOf(id)[3];
    if (serial === undefined) return [];
    const isOfIssuer = ids.some((each) => normalizedId(id).equals(derSequence(each, serial.bytes)));
    if (!isOfIssuer) return [];
    const status = statusOf(certStatus);
    return [
      {
        serial: contentOf(serial, derTag.integer),
        status,
        thisUpdate: readTime(thisUpdate).getTime(),
        revocation: status === 'revoked' ? revocationIn(certStatus) : null,
      },
    ];
  });
}

/** RevokedInfo: revocationTime, revocationReason [0]. */
function revocationIn(certStatus: DerElement | undefined) {
  const [time, reason] = childrenOf(certStatus, derTag.constructed(1));
  return {
    revokedAt: readTime(time).getTime(),
    reason: reason === undefined ? 0 : (readDer(reason.content, derTag.enumerated).content[0] ?? 0),
  };
}

/**
 * Reads an OCSPResponse and validates it (RFC 6960 §3.2, §4.2): signed by the issuer or its
 * delegated responder, for this certificate, current, with the request's nonce.
 *
 * @throws Error with the failed check
 */
export function readOcspAnswer(
  der: Buffer,
  question: OcspQuestion,
  policy: OcspPolicy,
): OcspAnswer {
  const fields = verifiedResponse(der, question.issuer, policy);
  const nonce = readExtensionsStrictly(fields.extensions).get(oid.ocspNonce);
  if (nonce !== undefined && question.nonce?.equals(nonceOf(nonce.value)) !== true) {
    throw new Error('The OCSP nonce does not match the request.');
  }
  const wanted = certId(question);
  const single = fields.responses
    .map((response) => childrenOf(response))
    .find(([id]) => id !== undefined && normalizedId(id).equals(wanted));
  if (single === undefined) throw new Error('The OCSP response does not contain the certificate.');
  return { ...readSingleResponse(single, policy), hasNonce: nonce !== undefined };
}

/** @param moment at which the responder's certificate has to be valid; null: the one it states, which it signed */
function verifiedResponse(der: Buffer, issuer: CertificateDetails, moment: Moment | null) {
  const [data, algorithm, signature, certificates] = childrenOf(basicResponse(der));
  if (data === undefined || algorithm === undefined)
    throw new RangeError('The OCSP response is truncated.');
  const signed = {
    signed: data.bytes,
    algorithm: algorithm.bytes,
    signature: readBitString(signature),
  };
  const fields = readResponseData(data);
  expectSigner(signed, fields.responder, responderCertificates(certificates), {
    issuer,
    moment: moment ?? { now: fields.producedAt, clockSkewMs: 0 },
  });
  return fields;
}

function basicResponse(der: Buffer): DerElement {
  const [status, wrapper] = childrenOf(readDer(der));
  const code = contentOf(status, derTag.enumerated)[0];
  if (code !== 0) throw new Error(`The OCSP responder answered with status ${code ?? 'none'}.`);
  const [type, response] = childrenOf(readDer(contentOf(wrapper, derTag.constructed(0))));
  if (readOid(type) !== oid.ocspBasic) {
    throw new Error('The OCSP answer is of an unknown type.');
  }
  return readDer(contentOf(response, derTag.octetString));
}

/** ResponseData: version [0], responderID [1] or [2], producedAt, responses, responseExtensions [1]. */
function readResponseData(data: DerElement) {
  const parts = childrenOf(data);
  const [responder, producedAt, responses, extensions] =
    parts[0]?.tag === derTag.constructed(0) ? parts.slice(1) : parts;
  if (responder === undefined) throw new RangeError('The OCSP answer is cut off.');
  return {
    responder,
    producedAt: readTime(producedAt),
    responses: childrenOf(responses),
    extensions,
  };
}

function responderCertificates(wrapper: DerElement | undefined): readonly CertificateDetails[] {
  if (wrapper === undefined) return [];
  // One that cannot be read signs nothing; the response may be that of another.
  const sent = childrenOf(readDer(contentOf(wrapper, derTag.constructed(0))));
  return readableAmong(
    sent.slice(0, MAX_CERTIFICATES).map(({ bytes }) => bytes),
    readCertificate,
  );
}

/**
 * Finds the signer (RFC 6960 §4.2.2.2): the CA itself, or a certificate with id-kp-OCSPSigning that
 * this CA issued directly.
 */
function expectSigner(
  signed: CertificateSignature,
  responder: DerElement,
  certificates: readonly CertificateDetails[],
  { issuer, moment }: { readonly issuer: CertificateDetails; readonly moment: Moment },
): void {
  const isTheOne = (candidate: CertificateDetails) => isNamed(candidate, responder);
  const appointed = (candidate: CertificateDetails) =>
    candidate.extendedKeyUsage?.includes(oid.ocspSigning) === true &&
    candidate.keyUsage?.digitalSignature !== false &&
    candidate.unknownCritical.length === 0 &&
    candidate.issuerName.equals(issuer.subjectName) &&
    isWithinValidity(candidate, moment) &&
    isSignedByAuthority(candidate.signed, issuer);
  const signers = [
    ...[issuer].filter(isTheOne),
    ...certificates.filter((candidate) => isTheOne(candidate) && appointed(candidate)),
  ];
  if (!signers.some((signer) => isSignedByAuthority(signed, signer))) {
    throw new Error('The OCSP answer is not signed by the issuer or a responder it appointed.');
  }
}

function isNamed(certificate: CertificateDetails, responder: DerElement): boolean {
  return responder.tag === derTag.constructed(1)
    ? responder.content.equals(certificate.subjectName)
    : contentOf(readDer(contentOf(responder, derTag.constructed(2))), derTag.octetString).equals(
        sha1(certificate.publicKeyBits),
      );
}

/** AlgorithmIdentifier without parameters: NULL and absent are equivalent. */
function normalizedId(id: DerElement): Buffer {
  const [algorithm, ...rest] = childrenOf(id);
  const [hash] = childrenOf(algorithm);
  if (hash === undefined) throw new RangeError('The OCSP answer names no hash.');
  return derSequence(derSequence(hash.bytes, derNull), ...rest.map(({ bytes }) => bytes));
}

const statusOfTag: Readonly<Record<number, OcspAnswer['status']>> = {
  0x80: 'good',
  0xa1: 'revoked',
  0x82: 'unknown',
};

function statusOf(certStatus: DerElement | undefined): OcspAnswer['status'] {
  const status = statusOfTag[certStatus?.tag ?? 0];
  if (status === undefined) throw new RangeError('The OCSP answer has an unknown status.');
  return status;
}

/** SingleResponse: certID, certStatus, thisUpdate, nextUpdate [0], singleExtensions [1]. */
function readSingleResponse(
  [, certStatus, thisUpdate, ...optional]: readonly DerElement[],
  { now, clockSkewMs, withoutNextUpdateMs }: OcspPolicy,
) {
  const status = statusOf(certStatus);
  const next = optional.find(({ tag }) => tag === derTag.constructed(0));
  readExtensionsStrictly(optional.find(({ tag }) => tag === derTag.constructed(1)));
  const from = readTime(thisUpdate).getTime();
  const validUntil =
    next === undefined ? from + withoutNextUpdateMs : readTime(readDer(next.content)).getTime();
  const time = now.getTime();
  if (time < from - clockSkewMs || time > validUntil + clockSkewMs) {
    throw new Error('The OCSP answer is not of this time.');
  }
  return { status, thisUpdate: from, validUntil };
}

function readExtensionsStrictly(wrapper: DerElement | undefined) {
  const extensions = readExtensions(wrapper);
  for (const [id, { critical }] of extensions) {
    if (critical && id !== oid.ocspNonce) {
      throw new Error('The OCSP answer has a critical extension that is not understood.');
    }
  }
  return extensions;
}

/** Reads the nonce, wrapped in an OCTET STRING of its own; some responders return it bare. */
function nonceOf(value: Buffer): Buffer {
  try {
    return contentOf(readDer(value), derTag.octetString);
  } catch {
    return value;
  }
}
