import { ValidationError } from '../errors.ts';
import {
  type CertificateDetails,
  isWithinValidity,
  type Moment,
} from '../../infrastructure/pki/kernel/certificate.ts';
import { importKey, type VerificationKey } from './keys.ts';
import { isSignedBy } from './signed.ts';

/** Longest certification path, leaf and trust anchor included (specification, Limits). */
const MAX_DEPTH = 8;

/** Builds certification paths to a trust anchor. */
export interface ChainBuilder {
  /**
   * Builds the certification path from `leaf` to a trust anchor, leaf first (RFC 5280 §6): every
   * issuer is a CA that may sign certificates, has the name and, where stated, the key identifier
   * named by the certificate below, allows a path of this length, is within its validity and has no
   * unknown critical extension.
   *
   * @throws ValidationError CHAIN_UNTRUSTED
   */
  build(leaf: CertificateDetails, moment: Moment): readonly CertificateDetails[];
}

interface Issuer {
  readonly certificate: CertificateDetails;
  readonly isAnchor: boolean;
  readonly key: VerificationKey;
}

/** Prepares the CA certificates: keys imported once, signatures among them verified once. */
export function createChainBuilder(
  anchors: readonly CertificateDetails[],
  intermediates: readonly CertificateDetails[],
): ChainBuilder {
  const byName = new Map<string, Issuer[]>();
  const verified = new WeakMap<CertificateDetails, Map<CertificateDetails, boolean>>();
  const issuers = new Set<CertificateDetails>();
  const add = (certificate: CertificateDetails, isAnchor: boolean) => {
    const { isCa, keyUsage, unknownCritical } = certificate;
    if (!isCa || keyUsage?.keyCertSign !== true || unknownCritical.length > 0) return;
    const key = importKey(certificate.spki);
    if (key === null) return;
    const name = certificate.subjectName.toString('latin1');
    byName.set(name, [...(byName.get(name) ?? []), { certificate, isAnchor, key }]);
    issuers.add(certificate);
  };
  for (const anchor of anchors) add(anchor, true);
  for (const intermediate of intermediates) add(intermediate, false);

  function isVerified(subject: CertificateDetails, { certificate, key }: Issuer): boolean {
    if (!issuers.has(subject)) return isSignedBy(subject.signed, key);
    const known = verified.get(subject) ?? new Map<CertificateDetails, boolean>();
    verified.set(subject, known);
    const answer = known.get(certificate) ?? isSignedBy(subject.signed, key);
    known.set(certificate, answer);
    return answer;
  }

  function search(
    path: readonly CertificateDetails[],
    moment: Moment,
  ): readonly CertificateDetails[] | null {
    const subject = path.at(-1);
    if (subject === undefined || path.length >= MAX_DEPTH) return null;
    const candidates = byName.get(subject.issuerName.toString('latin1')) ?? [];
    for (const issuer of candidates) {
      if (!mayIssue(issuer.certificate, path, moment) || !isVerified(subject, issuer)) continue;
      const longer = [...path, issuer.certificate];
      const found = issuer.isAnchor ? longer : search(longer, moment);
      if (found !== null) return found;
    }
    return null;
  }

  return {
    build(leaf, moment) {
      const path = search([leaf], moment);
      if (path !== null) return path;
      throw new ValidationError(
        'CHAIN_UNTRUSTED',
        'The certificate does not chain to a trust anchor.',
      );
    },
  };
}

/** Checks everything but the signature, the most expensive check. */
function mayIssue(
  issuer: CertificateDetails,
  path: readonly CertificateDetails[],
  moment: Moment,
): boolean {
  const subject = path.at(-1);
  const wanted = subject?.issuerKeyIdentifier ?? null;
  const sameKey =
    wanted === null || issuer.keyIdentifier === null || wanted.equals(issuer.keyIdentifier);
  return (
    sameKey &&
    !path.some((certificate) => certificate.der.equals(issuer.der)) &&
    (issuer.pathLength === null || casBelow(path) <= issuer.pathLength) &&
    isWithinValidity(issuer, moment)
  );
}

/**
 * Number of CA certificates below an issuer on this path; self-issued ones do not count (RFC 5280
 * §4.2.1.9).
 */
function casBelow([, ...authorities]: readonly CertificateDetails[]): number {
  return authorities.filter(({ issuerName, subjectName }) => !issuerName.equals(subjectName))
    .length;
}
