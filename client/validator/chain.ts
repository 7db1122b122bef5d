import type { X509Certificate } from 'node:crypto';
import { ValidationError } from '../errors.ts';
import type { CertificateDetails } from './certificate.ts';

/** Certificates from the leaf to the trust anchor, at most (specification, Limits). */
const MAX_DEPTH = 8;

export interface ChainRules {
  readonly anchors: readonly CertificateDetails[];
  readonly intermediates: readonly CertificateDetails[];
  readonly now: Date;
  readonly clockSkewMs: number;
}

/**
 * The path from `leaf` to a trust anchor, leaf first: every issuer is a CA that may sign certificates, every
 * certificate of the path is within its validity and holds no critical extension unknown here.
 *
 * @throws ValidationError CHAIN_UNTRUSTED, saying which issuer was looked for last
 */
export function buildChain(
  leaf: CertificateDetails,
  rules: ChainRules,
): readonly CertificateDetails[] {
  const path = search([leaf], rules);
  if (path === null) {
    throw new ValidationError(
      'CHAIN_UNTRUSTED',
      'The certificate does not chain to a trust anchor.',
    );
  }
  return path;
}

function search(
  path: readonly CertificateDetails[],
  rules: ChainRules,
): readonly CertificateDetails[] | null {
  const subject = path.at(-1);
  if (subject === undefined || path.length >= MAX_DEPTH) return null;
  const below = path.length - 1;
  const issues = (issuer: CertificateDetails) => mayIssue(issuer, subject, below, rules);
  const anchor = rules.anchors.find(issues);
  if (anchor !== undefined) return [...path, anchor];
  for (const issuer of rules.intermediates) {
    if (path.includes(issuer) || !issues(issuer)) continue;
    const found = search([...path, issuer], rules);
    if (found !== null) return found;
  }
  return null;
}

/** @param below CA certificates between this issuer and the leaf */
function mayIssue(
  issuer: CertificateDetails,
  subject: CertificateDetails,
  below: number,
  { now, clockSkewMs }: ChainRules,
): boolean {
  return (
    issuer.isCa &&
    issuer.keyUsage?.keyCertSign === true &&
    (issuer.pathLength === null || below <= issuer.pathLength) &&
    issuer.unknownCritical.length === 0 &&
    isWithinValidity(issuer.x509, now, clockSkewMs) &&
    subject.x509.checkIssued(issuer.x509) &&
    subject.x509.verify(issuer.x509.publicKey)
  );
}

/** Whether `now` lies within the certificate's validity, give or take the clock skew. */
export function isWithinValidity(
  certificate: X509Certificate,
  now: Date,
  clockSkewMs: number,
): boolean {
  const time = now.getTime();
  return (
    time >= Date.parse(certificate.validFrom) - clockSkewMs &&
    time <= Date.parse(certificate.validTo) + clockSkewMs
  );
}
