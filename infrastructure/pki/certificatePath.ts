import {
  type CertificateDetails,
  isWithinValidity,
  readableAmong,
  readCertificate,
} from './kernel/certificate.ts';
import { type CertificationPath, createPathBuilder } from './kernel/certificationPath.ts';

/** Most certificates a sender may add to a leaf: a real chain has two or three. */
const MAX_OTHERS = 10;

/** Trust anchors and intermediates for path building. */
export interface TrustedIssuers {
  /** DER; trust anchors. */
  readonly anchors: readonly Buffer[];
  /** DER; untrusted. */
  readonly intermediates?: readonly Buffer[];
}

/**
 * The certification path (RFC 5280 §6.1) from a certificate to a trust anchor. Unlike the kernel's it starts from no
 * leaf that has an unknown critical extension (§4.2) or is out of its validity (§4.1.2.5).
 *
 * @param others intermediates that came with the certificate, not trusted
 * @param at null: the validity periods are not checked
 * @returns null: there is no path
 */
export function certificationPath(
  leaf: CertificateDetails,
  others: readonly CertificateDetails[],
  anchors: readonly CertificateDetails[],
  at: Date | null,
): CertificationPath | null {
  const moment = at === null ? null : { now: at, clockSkewMs: 0 };
  if (leaf.unknownCritical.length > 0) return null;
  if (moment !== null && !isWithinValidity(leaf, moment)) return null;
  return createPathBuilder(anchors).build(leaf, moment, others);
}

/**
 * True when `leaf` is a trust anchor, or a certification path leads from it to one, every certificate in force at
 * `time`. Revocation is not checked. Anchors and others that cannot be read are left out.
 *
 * @param others DER; untrusted certificates sent along, at most ten
 * @throws RangeError when the leaf cannot be read
 */
export function hasTrustedPath(
  leaf: Buffer,
  others: readonly Buffer[],
  trust: TrustedIssuers,
  time: Date,
): boolean {
  if (others.length > MAX_OTHERS) return false;
  const certificate = readCertificate(leaf);
  if (trust.anchors.some((anchor) => anchor.equals(leaf))) {
    return isWithinValidity(certificate, { now: time, clockSkewMs: 0 });
  }
  const untrusted = readableAmong([...(trust.intermediates ?? []), ...others], readCertificate);
  const anchors = readableAmong(trust.anchors, readCertificate);
  return certificationPath(certificate, untrusted, anchors, time) !== null;
}
