import type { CertificateStatus } from '../../../application/ports/certificateStatuses.ts';
import {
  derBitString,
  derExplicit,
  derGeneralizedTime,
  derOctetString,
  derOid,
  derSequence,
  derValue,
} from '../der.ts';
import { rawExtension } from '../extensions.ts';
import { oid } from '../oids.ts';

/** OCSPResponseStatus (RFC 6960 §4.2.1) of answers that say nothing about a certificate. */
export const errorStatus = {
  malformedRequest: 1,
  internalError: 2,
  tryLater: 3,
  unauthorized: 6,
} as const;

const enumerated = (value: number) => derValue(0x0a, Buffer.from([value]));

/** An OCSPResponse with an error status alone; these are never signed. */
export function errorResponse(status: keyof typeof errorStatus): Buffer {
  return derSequence(enumerated(errorStatus[status]));
}

/** GeneralizedTime without a fraction (RFC 5019 §2.2.4). */
export function derSeconds(time: Date): Buffer {
  return derGeneralizedTime(new Date(Math.floor(time.getTime() / 1000) * 1000));
}

const good = derValue(0x80);
const unknown = derValue(0x82);

/** CertStatus; null: not a certificate this responder knows. */
export function derStatus(status: Pick<CertificateStatus, 'revocation'> | null): Buffer {
  if (status === null) return unknown;
  const { revocation } = status;
  if (revocation === null) return good;
  // RFC 5280 §5.3.1: unspecified (0) is said by leaving it out.
  const reason = revocation.reason === 0 ? [] : [derExplicit(0, enumerated(revocation.reason))];
  return derValue(0xa1, derSeconds(revocation.at), ...reason);
}

/** What one answer says about one certificate. */
export interface Single {
  /** CertID, DER. */
  readonly id: Buffer;
  /** CertStatus, DER. */
  readonly status: Buffer;
}

/** What is the same in all answers signed with one responder certificate, encoded once. */
export interface ResponderTemplate {
  /** ResponderID by key, DER (RFC 5019 §2.2.1). */
  readonly responderId: Buffer;
  /** singleExtensions, DER: from when on the status of expired certificates is kept (RFC 6960 §4.4.4). */
  readonly singleExtensions: Buffer;
  /** certs, DER: the responder's certificate. */
  readonly certificates: Buffer;
}

/**
 * @param keyHash SHA-1 of the responder's public key
 * @param keptSince the CA's beginning: no status is ever dropped
 */
export function responderTemplate(
  keyHash: Buffer,
  certificate: Buffer,
  keptSince: Date,
): ResponderTemplate {
  return {
    responderId: derExplicit(2, derOctetString(keyHash)),
    singleExtensions: derExplicit(
      1,
      derSequence(rawExtension(oid.ocspArchiveCutoff, derSeconds(keptSince))),
    ),
    certificates: derExplicit(0, derSequence(certificate)),
  };
}

/** ResponseData (RFC 6960 §4.2.1), DER: what is signed. */
export function responseData(
  template: ResponderTemplate,
  singles: readonly Single[],
  { thisUpdate, nextUpdate }: { readonly thisUpdate: Date; readonly nextUpdate: Date },
  nonce: Buffer | null,
): Buffer {
  const now = derSeconds(thisUpdate);
  const next = derExplicit(0, derSeconds(nextUpdate));
  const responses = singles.map(({ id, status }) =>
    derSequence(id, status, now, next, template.singleExtensions),
  );
  const extensions =
    nonce === null
      ? []
      : [derExplicit(1, derSequence(derSequence(nonceId, derOctetString(nonce))))];
  return derSequence(template.responderId, now, derSequence(...responses), ...extensions);
}

const nonceId = derOid(oid.ocspNonce);
const successful = enumerated(0);
const basic = derOid(oid.ocspBasic);
const ecdsaWithSha256 = derSequence(derOid(oid.ecdsaWithSha256));

/** An OCSPResponse around signed data. @param signature ECDSA with SHA-256, DER */
export function signedResponse(
  { certificates }: ResponderTemplate,
  data: Buffer,
  signature: Buffer,
): Buffer {
  const response = derSequence(data, ecdsaWithSha256, derBitString(signature), certificates);
  return derSequence(successful, derExplicit(0, derSequence(basic, derOctetString(response))));
}
