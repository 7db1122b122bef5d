import { X509Certificate } from 'node:crypto';
import {
  bitStringOf,
  booleanOf,
  childrenOf,
  contentOf,
  contextTag,
  type DerElement,
  derTag,
  oidText,
  readElement,
  timeOf,
} from './der.ts';
import { type Extension, extension, readExtensions } from './extensions.ts';
import { readSigned, type SignedBytes } from './signed.ts';

/** Subject of a certificate, a person or an organization; null for absent attributes. */
export interface CertificateSubject {
  /** Distinguished name, one attribute a line, as `X509Certificate.subject`. */
  readonly dn: string;
  /** CN: the full name. */
  readonly commonName: string | null;
  /** GN. */
  readonly givenName: string | null;
  /** SN. */
  readonly surname: string | null;
  /** `PNOMN-<civil id>` for a person (ETSI EN 319 412-1 §5.1.3). */
  readonly serialNumber: string | null;
  /** C, ISO 3166-1. */
  readonly country: string | null;
  /** OID 2.5.4.97: `NTRMN-<register>` of an organization. */
  readonly organizationIdentifier: string | null;
}

/** Key usage bits in use here (RFC 5280 §4.2.1.3). */
export interface KeyUsage {
  readonly digitalSignature: boolean;
  readonly nonRepudiation: boolean;
  readonly keyCertSign: boolean;
  readonly cRLSign: boolean;
}

/**
 * Parsed certificate. Read without OpenSSL's parser, which takes as long as all other checks
 * together.
 */
export interface CertificateDetails {
  readonly der: Buffer;
  /** Parsed by Node.js on first use. */
  readonly x509: X509Certificate;
  readonly subject: CertificateSubject;
  readonly signed: SignedBytes;
  /** Content of the serial number's INTEGER. */
  readonly serial: Buffer;
  /** Encoded names; compared byte for byte. */
  readonly issuerName: Buffer;
  readonly subjectName: Buffer;
  /** ms since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
  /** Public key itself: SubjectPublicKeyInfo's bit string. */
  readonly publicKeyBits: Buffer;
  readonly keyUsage: KeyUsage | null;
  /** Purposes, dotted (RFC 5280 §4.2.1.12); null: not restricted. */
  readonly extendedKeyUsage: readonly string[] | null;
  /** Certificate policies, dotted. */
  readonly policies: readonly string[];
  /** QCStatement identifiers (RFC 3739 §3.2.6), dotted. */
  readonly qcStatements: readonly string[];
  /** basicConstraints cA. */
  readonly isCa: boolean;
  /** basicConstraints pathLenConstraint; null: none. */
  readonly pathLength: number | null;
  /** Subject and authority key identifier; null: the certificate has none. */
  readonly keyIdentifier: Buffer | null;
  readonly issuerKeyIdentifier: Buffer | null;
  /** All extensions by dotted identifier. */
  readonly extensions: ReadonlyMap<string, Extension>;
  /**
   * Critical extensions this library does not process: such a certificate must be rejected (RFC
   * 5280 §4.2).
   */
  readonly unknownCritical: readonly string[];
}

const processed: ReadonlySet<string> = new Set([
  extension.keyUsage,
  extension.basicConstraints,
  extension.certificatePolicies,
  extension.extendedKeyUsage,
  extension.qcStatements,
]);

/** Parses a certificate. @throws Error when it is malformed, or when other bytes follow */
export function readCertificate(der: Buffer): CertificateDetails {
  const { signed, content } = readSigned(readElement(der));
  const fields = contentFields(content);
  const { serial, issuer, validity, subject, spki, extensions } = fields;
  const names = readNames(subject);
  let parsed: X509Certificate | undefined;
  const x509 = () => (parsed ??= new X509Certificate(der));
  const [notBefore, notAfter] = childrenOf(validity);
  return {
    der,
    get x509() {
      return x509();
    },
    subject: {
      get dn() {
        return x509().subject;
      },
      ...names,
    },
    signed,
    serial: contentOf(serial, derTag.integer),
    issuerName: issuer.raw,
    subjectName: subject.raw,
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    spki: spki.raw,
    publicKeyBits: bitStringOf(childrenOf(spki)[1]),
    ...readKeyRestrictions(extensions),
    policies: firstOids(extensions.get(extension.certificatePolicies)),
    qcStatements: firstOids(extensions.get(extension.qcStatements)),
    extensions,
    unknownCritical: [...extensions.entries()]
      .filter(([oid, { critical }]) => critical && !processed.has(oid))
      .map(([oid]) => oid),
  };
}

/** Splits PEM text into its certificates. @throws Error when one is malformed */
export function readPemBundle(pem: string | readonly string[] | undefined): CertificateDetails[] {
  const text = typeof pem === 'string' ? pem : (pem ?? []).join('\n');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => readCertificate(new X509Certificate(block).raw));
}

/** TBSCertificate: version [0], serialNumber, signature, issuer, validity, subject, SPKI, …, extensions [3]. */
function contentFields(content: readonly DerElement[]) {
  const [version, ...rest] = content;
  const isV3 = version?.tag === contextTag(0);
  const [serial, , issuer, validity, subject, spki, ...optional] = isV3 ? rest : content;
  const wrapper = optional.find(({ tag }) => tag === contextTag(3));
  if (issuer === undefined || subject === undefined || spki === undefined) {
    throw new RangeError('The certificate is cut off.');
  }
  if (wrapper !== undefined && !isV3) throw new RangeError('Only version 3 has extensions.');
  return { serial, issuer, validity, subject, spki, extensions: readExtensions(wrapper) };
}

function readKeyRestrictions(extensions: ReadonlyMap<string, Extension>) {
  return {
    keyUsage: readKeyUsage(extensions.get(extension.keyUsage)),
    extendedKeyUsage: readPurposes(extensions.get(extension.extendedKeyUsage)),
    ...readBasicConstraints(extensions.get(extension.basicConstraints)),
    keyIdentifier: readKeyIdentifier(extensions.get(extension.subjectKeyIdentifier)),
    issuerKeyIdentifier: readIssuerKeyIdentifier(extensions.get(extension.authorityKeyIdentifier)),
  };
}

function readKeyUsage(found: Extension | undefined): KeyUsage | null {
  if (found === undefined) return null;
  const bits = contentOf(readElement(found.value), derTag.bitString)[1] ?? 0;
  return {
    digitalSignature: (bits & 0x80) !== 0,
    nonRepudiation: (bits & 0x40) !== 0,
    keyCertSign: (bits & 0x04) !== 0,
    cRLSign: (bits & 0x02) !== 0,
  };
}

function readPurposes(found: Extension | undefined): readonly string[] | null {
  if (found === undefined) return null;
  return childrenOf(readElement(found.value)).map((purpose) =>
    oidText(contentOf(purpose, derTag.oid)),
  );
}

function readBasicConstraints(found: Extension | undefined) {
  if (found === undefined) return { isCa: false, pathLength: null };
  const parts = childrenOf(readElement(found.value));
  const length = parts.find(({ tag }) => tag === derTag.integer);
  return {
    isCa: booleanOf(parts[0]),
    pathLength: length === undefined ? null : readLength(length.content),
  };
}

/** Reads a path length. A certification path fits in one byte; a negative length allows nothing. */
function readLength(content: Buffer): number {
  const first = content[0] ?? 0x80;
  if (first >= 0x80) return -1;
  return content.length === 1 ? first : Number.MAX_SAFE_INTEGER;
}

function readKeyIdentifier(found: Extension | undefined): Buffer | null {
  return found === undefined ? null : contentOf(readElement(found.value), derTag.octetString);
}

/** RFC 5280 §4.2.1.1: keyIdentifier [0] IMPLICIT OCTET STRING. */
function readIssuerKeyIdentifier(found: Extension | undefined): Buffer | null {
  if (found === undefined) return null;
  return childrenOf(readElement(found.value)).find(({ tag }) => tag === 0x80)?.content ?? null;
}

/** Leading identifiers of the elements of a sequence of sequences. */
function firstOids(found: Extension | undefined): readonly string[] {
  if (found === undefined) return [];
  return childrenOf(readElement(found.value)).map((element) =>
    oidText(contentOf(childrenOf(element)[0], derTag.oid)),
  );
}

function readNames(name: DerElement): Omit<CertificateSubject, 'dn'> {
  const attributes = new Map<string, string>();
  for (const set of childrenOf(name)) {
    for (const attribute of childrenOf(set, derTag.set)) {
      const [type, value] = childrenOf(attribute);
      if (value === undefined) throw new RangeError('A name has an attribute without a value.');
      attributes.set(oidText(contentOf(type, derTag.oid)), text(value));
    }
  }
  const attribute = (oid: string) => attributes.get(oid) ?? null;
  return {
    commonName: attribute('2.5.4.3'),
    givenName: attribute('2.5.4.42'),
    surname: attribute('2.5.4.4'),
    serialNumber: attribute('2.5.4.5'),
    country: attribute('2.5.4.6'),
    organizationIdentifier: attribute('2.5.4.97'),
  };
}

const BMP_STRING = 0x1e;

function text({ tag, content }: DerElement): string {
  return tag === BMP_STRING
    ? Buffer.from(content).swap16().toString('utf16le')
    : content.toString('utf8');
}
