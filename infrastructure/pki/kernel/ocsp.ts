import { createHash } from 'node:crypto';
import { type CertificateDetails, readCertificate } from './certificate.ts';
import { isWithinValidity, type Moment } from '../../../client/validator/chain.ts';
import { readExtensions } from './certificateFields.ts';
import type { CertificateSignature } from './certificateSignature.ts';
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
import { importKey } from '../../../client/validator/keys.ts';
import type { RevocationStatus } from '../../../client/validator/revocation.ts';
import { isSignedBy } from '../../../client/validator/signed.ts';

/** OCSP request: certificate and issuer (RFC 6960 §4.1.1 CertID). */
export interface OcspQuestion {
  readonly certificate: CertificateDetails;
  readonly issuer: CertificateDetails;
  /** 1 to 32 bytes (RFC 8954); null: not sent. */
  readonly nonce: Buffer | null;
}

/** Verified OCSP response. */
export interface OcspAnswer {
  readonly status: RevocationStatus;
  readonly hasNonce: boolean;
  /** End of validity, ms since 1970. */
  readonly validUntil: number;
}

/** Lifetime of a response without nextUpdate, ms. */
const WITHOUT_NEXT_UPDATE_MS = 300_000;
/** Certificates read in a response: it needs one, and a hostile one may hold thousands. */
const MAX_CERTIFICATES = 4;

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest();

/**
 * Builds the CertID. SHA-1 only names the issuer, is known to every responder (RFC 6960 §4.3), and
 * has no security role.
 */
function certId({ certificate, issuer }: OcspQuestion): Buffer {
  return derSequence(
    derSequence(derOid(oid.sha1), derNull),
    derOctetString(sha1(issuer.subjectName)),
    derOctetString(sha1(issuer.publicKeyBits)),
    derValue(derTag.integer, certificate.serial),
  );
}

/** An OCSPRequest for one certificate (RFC 6960 §4.1.1), DER. */
export function buildOcspRequest(question: OcspQuestion): Buffer {
  const requests = derSequence(derSequence(certId(question)));
  if (question.nonce === null) return derSequence(derSequence(requests));
  const nonce = derSequence(derOid(oid.ocspNonce), derOctetString(derOctetString(question.nonce)));
  return derSequence(derSequence(requests, derExplicit(2, derSequence(nonce))));
}

/**
 * Reads an OCSPResponse and validates it (RFC 6960 §3.2, §4.2): signed by the issuer or its
 * delegated responder, for this certificate, current, with the request's nonce.
 *
 * @throws Error with the failed check
 */
export function readOcspAnswer(der: Buffer, question: OcspQuestion, moment: Moment): OcspAnswer {
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
    issuer: question.issuer,
    moment,
  });
  const nonce = readExtensionsStrictly(fields.extensions).get(oid.ocspNonce);
  if (nonce !== undefined && question.nonce?.equals(nonceOf(nonce.value)) !== true) {
    throw new Error('The OCSP nonce does not match the request.');
  }
  const wanted = certId(question);
  const single = fields.responses
    .map((response) => childrenOf(response))
    .find(([id]) => id !== undefined && normalizedId(id).equals(wanted));
  if (single === undefined) throw new Error('The OCSP response does not contain the certificate.');
  return { ...readSingleResponse(single, moment), hasNonce: nonce !== undefined };
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
  const [responder, , responses, extensions] =
    parts[0]?.tag === derTag.constructed(0) ? parts.slice(1) : parts;
  if (responder === undefined) throw new RangeError('The OCSP answer is cut off.');
  return { responder, responses: childrenOf(responses), extensions };
}

function responderCertificates(wrapper: DerElement | undefined): readonly CertificateDetails[] {
  if (wrapper === undefined) return [];
  return childrenOf(readDer(contentOf(wrapper, derTag.constructed(0))))
    .slice(0, MAX_CERTIFICATES)
    .map(({ bytes }) => readCertificate(bytes));
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
    verifies(candidate.signed, issuer);
  const signers = [
    ...[issuer].filter(isTheOne),
    ...certificates.filter((candidate) => isTheOne(candidate) && appointed(candidate)),
  ];
  if (!signers.some((signer) => verifies(signed, signer))) {
    throw new Error('The OCSP answer is not signed by the issuer or a responder it appointed.');
  }
}

function verifies(signed: CertificateSignature, { spki }: CertificateDetails): boolean {
  const key = importKey(spki);
  return key !== null && isSignedBy(signed, key);
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

const statusOfTag: Readonly<Record<number, RevocationStatus>> = {
  0x80: 'good',
  0xa1: 'revoked',
  0x82: 'unknown',
};

/** SingleResponse: certID, certStatus, thisUpdate, nextUpdate [0], singleExtensions [1]. */
function readSingleResponse(
  [, certStatus, thisUpdate, ...optional]: readonly DerElement[],
  { now, clockSkewMs }: Moment,
) {
  const status = statusOfTag[certStatus?.tag ?? 0];
  if (status === undefined) throw new RangeError('The OCSP answer has an unknown status.');
  const next = optional.find(({ tag }) => tag === derTag.constructed(0));
  readExtensionsStrictly(optional.find(({ tag }) => tag === derTag.constructed(1)));
  const from = readTime(thisUpdate).getTime();
  const validUntil =
    next === undefined ? from + WITHOUT_NEXT_UPDATE_MS : readTime(readDer(next.content)).getTime();
  const time = now.getTime();
  if (time < from - clockSkewMs || time > validUntil + clockSkewMs) {
    throw new Error('The OCSP answer is not of this time.');
  }
  return { status, validUntil };
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
