import { X509Certificate } from 'node:crypto';
import { readCertificate } from './kernel/certificate.ts';
import { oid } from './kernel/oids.ts';
import { isSignedBy, signatureScheme } from './kernel/statedSignature.ts';

/** A certificate, its issuer, and so on up to the trust anchor. */
export type CertificationPath = readonly [X509Certificate, ...X509Certificate[]];

/** Certificates between the first and the anchor, at most. */
const MAX_INTERMEDIATES = 6;

/** Extensions that are checked; any other critical one makes a certificate unusable (RFC 5280 §4.2). */
const understood: ReadonlySet<string> = new Set([
  ...[oid.keyUsage, oid.basicConstraints, oid.certificatePolicies, oid.extendedKeyUsage],
  ...[oid.authorityKeyIdentifier, oid.subjectKeyIdentifier, oid.crlDistributionPoints],
  ...[oid.authorityInformationAccess, oid.qcStatements],
]);

/**
 * The shortest certification path (RFC 5280 §6.1) from a certificate to a trust anchor. Checks the signatures, that
 * their algorithms are not broken, keyCertSign and the path length of each issuer, and the validity periods; not names,
 * policies and revocation. Visits each certificate once (bounds crafted cycles).
 *
 * @param others intermediates that came with the certificate, not trusted
 * @param at null: the validity periods are not checked
 * @returns null: there is no path
 */
export function certificationPath(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  at: Date | null,
): CertificationPath | null {
  const usable = (certificate: X509Certificate) => at === null || isInForce(certificate, at);
  const known = [...anchors, ...others].filter((one) => usable(one) && isUnderstood(one));
  const trusted = new Set(anchors.map(({ fingerprint256 }) => fingerprint256));
  const seen = new Set<string>();
  let paths: readonly CertificationPath[] = usable(leaf) && isUnderstood(leaf) ? [[leaf]] : [];
  for (let below = 0; below <= MAX_INTERMEDIATES && paths.length > 0; below += 1) {
    paths = paths.flatMap((path) => {
      const unseen = known.filter(({ fingerprint256 }) => !seen.has(fingerprint256));
      const issuers = unseen.filter((issuer) => issued(issuer, path.at(-1) ?? leaf, below));
      for (const { fingerprint256 } of issuers) seen.add(fingerprint256);
      return issuers.map((issuer): CertificationPath => [...path, issuer]);
    });
    const whole = paths.find((path) => trusted.has(path.at(-1)?.fingerprint256 ?? ''));
    if (whole !== undefined) return whole;
  }
  return null;
}

/** @throws Error when malformed */
export function parseX509(der: Uint8Array): X509Certificate {
  return new X509Certificate(der);
}

/** Tells whether `at` lies within the validity period, ends included (RFC 5280 §4.1.2.5). */
export function isInForce({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return new Date(validFrom) <= at && at <= new Date(validTo);
}

function isUnderstood({ raw }: X509Certificate): boolean {
  try {
    const extensions = [...readCertificate(raw).extensions];
    return extensions.every(([id, { critical }]) => !critical || understood.has(id));
  } catch {
    return false;
  }
}

/** @param below authorities between the issuer and the first certificate */
function issued(issuer: X509Certificate, certificate: X509Certificate, below: number): boolean {
  // `checkIssued` compares names and key identifiers and requires keyCertSign.
  if (!issuer.ca || !certificate.checkIssued(issuer)) return false;
  try {
    const { pathLength, keyUsage } = readCertificate(issuer.raw);
    if ((pathLength ?? below) < below || keyUsage === null) return false;
    const { signed, algorithm, signature } = readCertificate(certificate.raw).signed;
    const scheme = signatureScheme(algorithm, null);
    return scheme !== null && isSignedBy(issuer.publicKey, scheme, signed, signature);
  } catch {
    return false;
  }
}
