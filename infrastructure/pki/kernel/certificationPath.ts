import {
  type CertificateDetails,
  comparableName,
  isWithinValidity,
  type Moment,
} from './certificate.ts';
import { isSignedByKey } from './authoritySignature.ts';
import { importAuthorityKey, type VerificationKey } from './verificationKey.ts';

/** A certificate, its issuer, and so on up to the trust anchor. */
export type CertificationPath = readonly [CertificateDetails, ...CertificateDetails[]];

/** Longest certification path, leaf and trust anchor included (specification, Limits). */
const MAX_DEPTH = 8;

/** Builds certification paths to a trust anchor. */
export interface PathBuilder {
  /**
   * Builds the shortest certification path from `leaf` to a trust anchor (RFC 5280 §6.1). Every
   * issuer signed the certificate below with an algorithm that is not broken (§6.1.3 (a)(1)), is
   * within its validity (§6.1.3 (a)(2)), has the name (§7.1) and, where stated, the key
   * identifier, issuer and serial number named by the certificate below (§6.1.3 (a)(4),
   * §4.2.1.1), is a CA that may sign certificates (§6.1.4 (k), (n)), allows a path of this length
   * (§6.1.4 (l), (m)) and has no unknown critical extension (§6.1.4 (o)). Names are not
   * constrained; policies and revocation are not checked, nor are validity and extensions of the
   * leaf: callers tell those failures apart.
   *
   * Expands each certificate once for each number of CAs below it, so that certificates that issue
   * each other cost no more than their pairs.
   *
   * @param moment null: validity is not checked
   * @param sent issuers that came with the leaf, not trusted
   * @returns null: there is no path
   */
  build(
    leaf: CertificateDetails,
    moment: Moment | null,
    sent?: readonly CertificateDetails[],
  ): CertificationPath | null;
}

interface Issuer {
  readonly certificate: CertificateDetails;
  readonly isAnchor: boolean;
  readonly key: VerificationKey;
}

/** Outcomes of verified signatures, by subject and issuer. */
type Verified = WeakMap<CertificateDetails, WeakMap<CertificateDetails, boolean>>;

/** Prepares the CA certificates: keys imported once, signatures among them verified once. */
export function createPathBuilder(
  anchors: readonly CertificateDetails[],
  intermediates: readonly CertificateDetails[] = [],
): PathBuilder {
  const configured = [...issuersAmong(anchors, true), ...issuersAmong(intermediates, false)];
  const byName = namesOf(configured);
  const own = new Set(configured.map(({ certificate }) => certificate));
  const verifiedForGood: Verified = new WeakMap();

  return {
    build(leaf, moment, sent = []) {
      const sentByName = namesOf(issuersAmong(sent, false));
      const verifiedNow: Verified = new WeakMap();
      const expanded = new Map<CertificateDetails, number>();
      const issuersOf = (path: CertificationPath): readonly Issuer[] => {
        const subject = last(path);
        const below = casBelow(path);
        const name = nameOf(subject.issuerName);
        return [...(byName.get(name) ?? []), ...(sentByName.get(name) ?? [])].filter((issuer) => {
          const { certificate } = issuer;
          if ((expanded.get(certificate) ?? Infinity) <= below) return false;
          if (!mayIssue(certificate, path, below, moment)) return false;
          const known = own.has(subject) && own.has(certificate) ? verifiedForGood : verifiedNow;
          if (!isVerified(subject, issuer, known)) return false;
          expanded.set(certificate, below);
          return true;
        });
      };
      return shortest([leaf], issuersOf);
    },
  };
}

/** Searches in breadth: what was reached with fewer CAs below it needs no second visit later. */
function shortest(
  start: CertificationPath,
  issuersOf: (path: CertificationPath) => readonly Issuer[],
): CertificationPath | null {
  let paths: readonly CertificationPath[] = [start];
  for (let length = 1; length < MAX_DEPTH && paths.length > 0; length += 1) {
    const longer = paths.flatMap((path) =>
      issuersOf(path).map(({ certificate, isAnchor }) => ({
        path: [...path, certificate] as const,
        isAnchor,
      })),
    );
    const whole = longer.find(({ isAnchor }) => isAnchor);
    if (whole !== undefined) return whole.path;
    paths = longer.map(({ path }) => path);
  }
  return null;
}

/** Tells why no path ends in this certificate or leads through it, as a sentence; null: one can. */
export function issuerFault(certificate: CertificateDetails): string | null {
  const key = keyOfIssuer(certificate);
  return typeof key === 'string' ? key : null;
}

/** @returns the key; a sentence when it certifies nothing here */
function keyOfIssuer({
  isCa,
  keyUsage,
  unknownCritical: [unknown],
  spki,
}: CertificateDetails): VerificationKey | string {
  if (!isCa) return 'It is not a CA.';
  if (keyUsage?.keyCertSign !== true) return 'Its key usage is not that of a CA.';
  if (unknown !== undefined) return `Its critical extension ${unknown} is not processed.`;
  return importAuthorityKey(spki) ?? 'Its key is not supported.';
}

/** CA certificates that may sign certificates, with keys that are supported. */
function issuersAmong(
  certificates: readonly CertificateDetails[],
  isAnchor: boolean,
): readonly Issuer[] {
  return certificates.flatMap((certificate) => {
    const key = keyOfIssuer(certificate);
    return typeof key === 'string' ? [] : [{ certificate, isAnchor, key }];
  });
}

/** Comparable names by their encoding: those of configured certificates are asked for at every build. */
const comparableNames = new WeakMap<Buffer, string>();

function nameOf(encoded: Buffer): string {
  const name = comparableNames.get(encoded) ?? comparableName(encoded);
  comparableNames.set(encoded, name);
  return name;
}

const isSameName = (name: Buffer, other: Buffer) =>
  name.equals(other) || nameOf(name) === nameOf(other);

function namesOf(issuers: readonly Issuer[]): ReadonlyMap<string, readonly Issuer[]> {
  const byName = new Map<string, Issuer[]>();
  for (const issuer of issuers) {
    const name = nameOf(issuer.certificate.subjectName);
    byName.set(name, [...(byName.get(name) ?? []), issuer]);
  }
  return byName;
}

function isVerified(
  subject: CertificateDetails,
  { certificate, key }: Issuer,
  known: Verified,
): boolean {
  const outcomes = known.get(subject) ?? new WeakMap<CertificateDetails, boolean>();
  known.set(subject, outcomes);
  const outcome = outcomes.get(certificate) ?? isSignedByKey(subject.signed, key);
  outcomes.set(certificate, outcome);
  return outcome;
}

const last = (path: CertificationPath): CertificateDetails => path.at(-1) ?? path[0];

/** Checks everything but the signature, the most expensive check. */
function mayIssue(
  issuer: CertificateDetails,
  path: CertificationPath,
  below: number,
  moment: Moment | null,
): boolean {
  return (
    isNamedBy(last(path), issuer) &&
    !path.some((certificate) => certificate.der.equals(issuer.der)) &&
    (issuer.pathLength === null || below <= issuer.pathLength) &&
    (moment === null || isWithinValidity(issuer, moment))
  );
}

/** True when the authority key identifier names this issuer, in what it states (RFC 5280 §4.2.1.1). */
function isNamedBy(
  { issuerKeyIdentifier, issuerCertificate: { name, serial } }: CertificateDetails,
  issuer: CertificateDetails,
): boolean {
  return (
    (issuerKeyIdentifier === null ||
      issuer.keyIdentifier === null ||
      issuerKeyIdentifier.equals(issuer.keyIdentifier)) &&
    (name === null || isSameName(name, issuer.issuerName)) &&
    (serial === null || serial.equals(issuer.serial))
  );
}

/**
 * Number of CA certificates below an issuer on this path; self-issued ones do not count (RFC 5280
 * §4.2.1.9).
 */
function casBelow([, ...authorities]: CertificationPath): number {
  return authorities.filter(({ issuerName, subjectName }) => !isSameName(issuerName, subjectName))
    .length;
}
