import { certificationPath, isInForce, parseX509 } from './certificationPath.ts';

/** Most certificates a sender may add to a leaf: a real chain has two or three. */
const MAX_OTHERS = 10;

/** Trust anchors and intermediates for path building. */
export interface TrustedIssuers {
  /** DER; trust anchors. */
  readonly anchors: readonly Uint8Array[];
  /** DER; untrusted. */
  readonly intermediates?: readonly Uint8Array[];
}

/**
 * True when `leaf` is a trust anchor, or a certification path leads from it to one, every certificate in force at
 * `time`. Revocation is not checked.
 *
 * @param others DER; untrusted certificates sent along, at most ten
 */
export function hasTrustedPath(
  leaf: Uint8Array,
  others: readonly Uint8Array[],
  trust: TrustedIssuers,
  time: Date,
): boolean {
  if (others.length > MAX_OTHERS) return false;
  const anchors = trust.anchors.map(parseX509);
  const certificate = parseX509(leaf);
  if (anchors.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256)) {
    return isInForce(certificate, time);
  }
  const untrusted = [...(trust.intermediates ?? []), ...others].map(parseX509);
  return certificationPath(certificate, untrusted, anchors, time) !== null;
}
