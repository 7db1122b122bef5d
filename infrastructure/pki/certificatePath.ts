import { X509Certificate } from 'node:crypto';

/** Longest path, anchor included. */
const MAX_DEPTH = 8;

/** What certificates must lead to. */
export interface TrustedIssuers {
  /** DER; trusted as they are. */
  readonly anchors: readonly Uint8Array[];
  /** DER; known, not trusted. */
  readonly intermediates?: readonly Uint8Array[];
}

/**
 * Whether a path of valid signatures leads from `leaf` to a trusted certificate, every certificate in force at `time`.
 * Revocation is not looked at.
 *
 * @param others DER; sent along, not trusted
 */
export function hasTrustedPath(
  leaf: Uint8Array,
  others: readonly Uint8Array[],
  trust: TrustedIssuers,
  time: Date,
): boolean {
  const anchors = trust.anchors.map(parse);
  const candidates = [...anchors, ...[...(trust.intermediates ?? []), ...others].map(parse)];
  const isAnchor = (certificate: X509Certificate) =>
    anchors.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);

  function leads(certificate: X509Certificate, depth: number): boolean {
    if (!isInForce(certificate, time)) return false;
    if (isAnchor(certificate)) return true;
    if (depth === MAX_DEPTH) return false;
    return candidates.some(
      (issuer) =>
        issuer.ca &&
        certificate.checkIssued(issuer) &&
        certificate.verify(issuer.publicKey) &&
        leads(issuer, depth + 1),
    );
  }
  return leads(parse(leaf), 1);
}

function parse(der: Uint8Array): X509Certificate {
  return new X509Certificate(der);
}

function isInForce({ validFrom, validTo }: X509Certificate, time: Date): boolean {
  return new Date(validFrom) <= time && time <= new Date(validTo);
}
