import { AsnConvert } from '@peculiar/asn1-schema';
import { TBSCertificate, Validity } from '@peculiar/asn1-x509';
import { type DerElement, type DerReader, derReader, derTag, readOid } from './derReader.ts';
import { refuseWrongProfile } from './lint.ts';
import { type LintExpectation, lintRules } from './lintRules.ts';
import {
  type ParsedCertificate,
  parseCertificate,
  type SubjectValue,
} from './parsedCertificate.ts';
import { subjectKeyIdentifierExtension } from './tbsCertificate.ts';

/**
 * Rules about bytes that are the same in every certificate of a profile. The subject key identifier is compared byte for
 * byte when a certificate is taken apart. A rule that is not named here is asked about every certificate.
 */
export const rulesAboutProfile: ReadonlySet<string> = new Set([
  'version',
  'signature-algorithm',
  'issuer-name',
  'no-unique-identifiers',
  'no-duplicate-extensions',
  'critical-flags',
  'known-extensions',
  'key-usage',
  'extended-key-usage',
  'basic-constraints',
  'certificate-policies',
  'subject-key-identifier',
  'authority-key-identifier',
  'authority-information-access',
  'crl-distribution-points',
  'ocsp-no-check',
  'qc-statements',
  'qc-semantics',
  'qc-type',
  'qc-legislation',
  'qc-disclosure-statements',
]);

const rulesAboutHolder = lintRules.filter(({ name }) => !rulesAboutProfile.has(name));

/** A to-be-signed certificate, taken apart. */
interface TbsParts {
  /** Version, algorithm, issuer, all extensions but the subject key identifier: the same within a profile. */
  readonly fixed: readonly Buffer[];
  readonly serial: Buffer;
  readonly validity: Buffer;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
}

/** A certificate that kept every rule. */
interface Specimen {
  readonly certificate: ParsedCertificate;
  readonly fixed: readonly Buffer[];
}

/**
 * Lints what one CA issues from one profile. The first certificate is held against every rule. Most of the next ones is,
 * byte for byte, what the first had, and needs no second look: only what differs is read and held against the rules
 * about it. A certificate that differs anywhere else is linted whole.
 *
 * @returns lets pass what keeps the profile, throws an Error naming the rules broken
 */
export function createProfileGuard(
  profile: Omit<LintExpectation, 'keyType'>,
): (tbs: Buffer, keyType: LintExpectation['keyType']) => void {
  let specimen: Specimen | null = null;

  return (tbs, keyType) => {
    const expected = { ...profile, keyType };
    const parts = takeApart(tbs);
    if (specimen !== null && parts !== null && isSame(parts.fixed, specimen.fixed)) {
      if (keepsRulesAboutHolder(withPartsOf(specimen.certificate, parts), expected)) return;
    }
    refuseWrongProfile(tbs, expected);
    specimen = parts && { certificate: parseCertificate(tbs), fixed: parts.fixed };
  };
}

/** Null when the bytes are not laid out as this CA lays them out. */
function takeApart(tbs: Buffer): TbsParts | null {
  try {
    const outer = derReader(tbs);
    const reader = outer.enter(derTag.sequence);
    outer.end();
    return readParts(reader);
  } catch {
    return null;
  }
}

function readParts(reader: DerReader): TbsParts | null {
  const version = reader.element(derTag.constructed(0)).bytes;
  const serial = reader.element(derTag.integer).content;
  const algorithm = reader.element(derTag.sequence).bytes;
  const issuer = reader.element(derTag.sequence).bytes;
  const validity = reader.element(derTag.sequence).bytes;
  const subject = reader.element(derTag.sequence).bytes;
  const publicKey = reader.element(derTag.sequence).bytes;
  const wrapper = reader.enter(derTag.constructed(3));
  const extensions = wrapper.enter(derTag.sequence);
  reader.end();
  wrapper.end();
  const identifier = extensions.element(derTag.sequence).bytes;
  if (!identifier.equals(subjectKeyIdentifierExtension(publicKey))) return null;
  const others: Buffer[] = [];
  while (!extensions.atEnd) others.push(extensions.element(derTag.sequence).bytes);
  return { fixed: [version, algorithm, issuer, ...others], serial, validity, subject, publicKey };
}

function isSame(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  return (
    one.length === other.length &&
    one.every((part, index) => other[index] !== undefined && part.equals(other[index]))
  );
}

/** The specimen, but for what this certificate has of its own. */
function withPartsOf(specimen: ParsedCertificate, parts: TbsParts): ParsedCertificate {
  const validity = AsnConvert.parse(parts.validity, Validity);
  return {
    ...specimen,
    tbs: Object.assign(new TBSCertificate(), specimen.tbs, { validity }),
    serial: parts.serial,
    subject: readSubject(parts.subject),
    publicKey: parts.publicKey,
    notBefore: validity.notBefore.getTime(),
    notAfter: validity.notAfter.getTime(),
  };
}

const encodings: Readonly<Record<number, SubjectValue['encoding']>> = {
  0x13: 'printable',
  0x0c: 'utf8',
};

function readSubject(name: Buffer): ReadonlyMap<string, readonly SubjectValue[]> {
  const values = new Map<string, SubjectValue[]>();
  const names = derReader(name).enter(derTag.sequence);
  while (!names.atEnd) {
    const set = names.enter(derTag.set);
    while (!set.atEnd) {
      const attribute = set.enter(derTag.sequence);
      const type = readOid(attribute.element(derTag.oid));
      values.set(type, [...(values.get(type) ?? []), subjectValue(attribute.element())]);
      attribute.end();
    }
  }
  return values;
}

function subjectValue({ tag, content }: DerElement): SubjectValue {
  return { text: content.toString('utf8'), encoding: encodings[tag] ?? 'other' };
}

function keepsRulesAboutHolder(certificate: ParsedCertificate, expected: LintExpectation): boolean {
  try {
    return rulesAboutHolder.every((rule) => rule.holds(certificate, expected));
  } catch {
    return false;
  }
}
