import { AsnConvert } from '@peculiar/asn1-schema';
import { TBSCertificate, Validity } from '@peculiar/asn1-x509';
import { type DerElement, type DerReader, derReader, derTag, readOid } from './kernel/derReader.ts';
import { refuseWrongProfile } from './lint.ts';
import type { LintExpectation } from './lintRule.ts';
import { lintRules } from './lintRules.ts';
import {
  type ParsedCertificate,
  parseCertificate,
  type SubjectValue,
} from './parsedCertificate.ts';
import { subjectKeyIdentifierExtension } from './kernel/tbsCertificate.ts';

/**
 * Rules about bytes shared by all certificates of a profile. The subject key identifier is compared byte for byte when
 * the certificate is split. Every other rule is checked for each certificate.
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

/** A to-be-signed certificate, split into its parts. */
interface TbsParts {
  /** Version, algorithm, issuer, all extensions but the subject key identifier: constant within a profile. */
  readonly fixed: readonly Buffer[];
  readonly serial: Buffer;
  readonly validity: Buffer;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
}

/** The first certificate that passed every rule. */
interface Specimen {
  readonly certificate: ParsedCertificate;
  readonly fixed: readonly Buffer[];
}

/**
 * Lints the certificates of one CA and profile. The first is checked against every rule. Later ones are mostly
 * identical to it: only the parts that differ are parsed and checked against their rules. A certificate that differs
 * elsewhere is linted whole.
 *
 * @returns passes valid certificates, throws an Error naming the rules violated
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

/** Null when the layout is not this CA's. */
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

/** The specimen with the variable parts of this certificate. */
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
