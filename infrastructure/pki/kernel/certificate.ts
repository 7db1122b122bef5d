import { X509Certificate } from 'node:crypto';
import {
  childrenOf,
  contentOf,
  type DerElement,
  derReader,
  derTag,
  MalformedDer,
  readBitString,
  readBoolean,
  readDer,
  readInteger,
  readOid,
  readTime,
} from './derReader.ts';
import { oid } from './oids.ts';
import { pemBlocks } from './pem.ts';

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
  readonly signed: CertificateSignature;
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
  /** Issuer's name and serial number of the issuer's certificate, as the authority key identifier states them; null: not stated. */
  readonly issuerCertificate: { readonly name: Buffer | null; readonly serial: Buffer | null };
  /** All extensions by dotted identifier. */
  readonly extensions: CertificateFields['extensions'];
  /**
   * Critical extensions this library does not process: such a certificate must be rejected (RFC
   * 5280 §4.2).
   */
  readonly unknownCritical: readonly string[];
}

type Extension = ReturnType<CertificateFields['extensions']['get']>;

const processed: ReadonlySet<string> = new Set([
  oid.keyUsage,
  oid.basicConstraints,
  oid.certificatePolicies,
  oid.extendedKeyUsage,
  oid.qcStatements,
]);

/** Parses a certificate. @throws Error when it is malformed, or when other bytes follow */
export function readCertificate(der: Buffer): CertificateDetails {
  const { serial, issuer, validity, subject, spki, extensions } = certificateFields(der);
  const names = readNames(readDer(subject));
  let parsed: X509Certificate | undefined;
  const x509 = () => (parsed ??= new X509Certificate(der));
  const [notBefore, notAfter] = childrenOf(readDer(validity));
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
    signed: certificateSignature(der),
    serial,
    issuerName: issuer,
    subjectName: subject,
    notBefore: readTime(notBefore).getTime(),
    notAfter: readTime(notAfter).getTime(),
    spki,
    publicKeyBits: readBitString(childrenOf(readDer(spki))[1]),
    ...readKeyRestrictions(extensions),
    policies: firstOids(extensions.get(oid.certificatePolicies)),
    qcStatements: firstOids(extensions.get(oid.qcStatements)),
    extensions,
    unknownCritical: [...extensions.entries()]
      .filter(([id, { critical }]) => critical && !processed.has(id))
      .map(([id]) => id),
  };
}

/**
 * Reads certificates that others sent or configured, in order. One that cannot be read says nothing, and hides no other.
 */
export function readableAmong<Read>(
  certificates: readonly Buffer[],
  read: (der: Buffer) => Read,
): readonly Read[] {
  return certificates.flatMap((der) => {
    try {
      return [read(der)];
    } catch {
      return [];
    }
  });
}

/** Validation time and tolerated clock skew. */
export interface Moment {
  readonly now: Date;
  readonly clockSkewMs: number;
}

/** True for a time within the certificate's validity, both ends included, clock skew tolerated. */
export function isWithinValidity(
  { notBefore, notAfter }: CertificateDetails,
  { now, clockSkewMs }: Moment,
): boolean {
  const time = now.getTime();
  return time >= notBefore - clockSkewMs && time <= notAfter + clockSkewMs;
}

/** Splits PEM text into its certificates. @throws Error when one is malformed */
export function readPemBundle(pem: string | readonly string[] | undefined): CertificateDetails[] {
  const text = typeof pem === 'string' ? pem : (pem ?? []).join('\n');
  return pemBlocks(text, 'CERTIFICATE').map(readCertificate);
}

function readKeyRestrictions(extensions: CertificateFields['extensions']) {
  return {
    keyUsage: readKeyUsage(extensions.get(oid.keyUsage)),
    extendedKeyUsage: readPurposes(extensions.get(oid.extendedKeyUsage)),
    ...readBasicConstraints(extensions.get(oid.basicConstraints)),
    keyIdentifier: readKeyIdentifier(extensions.get(oid.subjectKeyIdentifier)),
    ...readAuthorityKeyIdentifier(extensions.get(oid.authorityKeyIdentifier)),
  };
}

function readKeyUsage(found: Extension): KeyUsage | null {
  if (found === undefined) return null;
  const bits = contentOf(readDer(found.value), derTag.bitString)[1] ?? 0;
  return {
    digitalSignature: (bits & 0x80) !== 0,
    nonRepudiation: (bits & 0x40) !== 0,
    keyCertSign: (bits & 0x04) !== 0,
    cRLSign: (bits & 0x02) !== 0,
  };
}

function readPurposes(found: Extension): readonly string[] | null {
  if (found === undefined) return null;
  return childrenOf(readDer(found.value)).map((purpose) => readOid(purpose));
}

function readBasicConstraints(found: Extension) {
  if (found === undefined) return { isCa: false, pathLength: null };
  const parts = childrenOf(readDer(found.value));
  const length = parts.find(({ tag }) => tag === derTag.integer);
  return {
    isCa: parts[0]?.tag === derTag.boolean && readBoolean(parts[0]),
    pathLength: length === undefined ? null : readLength(length.content),
  };
}

/** Reads a path length. A certification path fits in one byte; a negative length allows nothing. */
function readLength(content: Buffer): number {
  const first = content[0] ?? 0x80;
  if (first >= 0x80) return -1;
  return content.length === 1 ? first : Number.MAX_SAFE_INTEGER;
}

function readKeyIdentifier(found: Extension): Buffer | null {
  return found === undefined ? null : contentOf(readDer(found.value), derTag.octetString);
}

/** GeneralName [4] EXPLICIT Name: a CHOICE is never implicit (X.680 §31.2.7). */
const DIRECTORY_NAME = derTag.constructed(4);

/** AuthorityKeyIdentifier (RFC 5280 §4.2.1.1): keyIdentifier [0], authorityCertIssuer [1], authorityCertSerialNumber [2]. */
function readAuthorityKeyIdentifier(found: Extension) {
  const parts = found === undefined ? [] : childrenOf(readDer(found.value));
  const part = (tag: number) => parts.find((each) => each.tag === tag);
  const names = part(derTag.constructed(1))?.children ?? [];
  const directory = names.find(({ tag }) => tag === DIRECTORY_NAME);
  const name = directory === undefined ? null : readDer(directory.content).bytes;
  const serial = part(derTag.primitive(2))?.content ?? null;
  return {
    issuerKeyIdentifier: part(derTag.primitive(0))?.content ?? null,
    issuerCertificate: { name, serial },
  };
}

/** Leading identifiers of the elements of a sequence of sequences. */
function firstOids(found: Extension): readonly string[] {
  if (found === undefined) return [];
  return childrenOf(readDer(found.value)).map((element) => readOid(childrenOf(element)[0]));
}

function readNames(name: DerElement): Omit<CertificateSubject, 'dn'> {
  const attributes = new Map<string, string>();
  for (const set of childrenOf(name)) {
    for (const attribute of childrenOf(set, derTag.set)) {
      const [type, value] = childrenOf(attribute);
      if (value === undefined) throw new RangeError('A name has an attribute without a value.');
      attributes.set(readOid(type), text(value));
    }
  }
  const attribute = (id: string) => attributes.get(id) ?? null;
  return {
    commonName: attribute(oid.commonName),
    givenName: attribute(oid.givenName),
    surname: attribute(oid.surname),
    serialNumber: attribute(oid.serialNumber),
    country: attribute(oid.countryName),
    organizationIdentifier: attribute(oid.organizationIdentifier),
  };
}

/**
 * Writes a name so that two names that mean the same are equal (RFC 5280 §7.1): attribute by attribute, texts in
 * PrintableString or UTF8String regardless of case and of spaces around and between words, other values byte for byte.
 *
 * @param name DER
 */
export function comparableName(name: Buffer): string {
  try {
    return JSON.stringify(
      childrenOf(readDer(name)).map((set) => childrenOf(set, derTag.set).map(comparable).sort()),
    );
  } catch {
    return name.toString('latin1');
  }
}

function comparable(attribute: DerElement): string {
  const [type, value, ...rest] = childrenOf(attribute);
  const read = value === undefined || rest.length > 0 ? null : comparableText(value);
  if (read === null) return attribute.bytes.toString('latin1');
  const words = read.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');
  return `${readOid(type)}=${words}`;
}

/** Null for another type of string, and for bytes that are no UTF-8. */
function comparableText({ tag, content }: DerElement): string | null {
  const read = content.toString('utf8');
  return comparableTexts.has(tag) && Buffer.from(read).equals(content) ? read : null;
}

const PRINTABLE_STRING = 0x13;
const comparableTexts: ReadonlySet<number> = new Set([PRINTABLE_STRING, derTag.utf8String]);

const BMP_STRING = 0x1e;

function text({ tag, content }: DerElement): string {
  return tag === BMP_STRING
    ? Buffer.from(content).swap16().toString('utf16le')
    : content.toString('utf8');
}

/** Fields of a certificate, byte for byte. */
export interface CertificateFields {
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  /** Name, DER. */
  readonly issuer: Buffer;
  /** Validity, DER. */
  readonly validity: Buffer;
  /** Name, DER. */
  readonly subject: Buffer;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
  /** By OID. */
  readonly extensions: ReadonlyMap<string, { readonly critical: boolean; readonly value: Buffer }>;
}

/** Reads the fields that a signature or a revocation list must repeat exactly (RFC 5280 §4.1). @throws MalformedDer */
export function certificateFields(certificate: Uint8Array): CertificateFields {
  const whole = derReader(readDer(certificate, derTag.sequence).content);
  const tbs = whole.enter(derTag.sequence);
  const version = tbs.optional(derTag.constructed(0));
  const serial = readInteger(tbs.element(derTag.integer));
  tbs.element(derTag.sequence);
  const issuer = tbs.element(derTag.sequence).bytes;
  const validity = tbs.element(derTag.sequence).bytes;
  const subject = tbs.element(derTag.sequence).bytes;
  const spki = tbs.element(derTag.sequence).bytes;
  tbs.optional(derTag.primitive(1));
  tbs.optional(derTag.primitive(2));
  const extensions = tbs.optional(derTag.constructed(3));
  tbs.end();
  if (version === null && extensions !== null) {
    throw new MalformedDer('Only version 3 has extensions.');
  }
  return { serial, issuer, validity, subject, spki, extensions: readExtensions(extensions) };
}

/** Reads extensions by OID, each once, from under their tag; absent: none. @throws MalformedDer */
export function readExtensions(
  tagged: { readonly content: Buffer } | null = null,
): CertificateFields['extensions'] {
  const extensions = new Map<string, { critical: boolean; value: Buffer }>();
  if (tagged === null) return extensions;
  const list = derReader(readDer(tagged.content, derTag.sequence).content);
  while (!list.atEnd) {
    const extension = list.enter(derTag.sequence);
    const id = readOid(extension.element(derTag.oid));
    const flag = extension.optional(derTag.boolean);
    const value = extension.element(derTag.octetString).content;
    extension.end();
    if (extensions.has(id)) throw new MalformedDer('An extension appears twice.');
    extensions.set(id, { critical: flag !== null && readBoolean(flag), value });
  }
  return extensions;
}

/** The signature of a certificate (RFC 5280 §4.1) or a revocation list (§5.1), with the signed bytes. */
export interface CertificateSignature {
  /** TBSCertificate or TBSCertList, DER. */
  readonly signed: Buffer;
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
}

/** @param certificate or revocation list, DER @throws MalformedDer, also when the two algorithm identifiers differ (RFC 5280 §4.1.1.2) */
export function certificateSignature(certificate: Uint8Array): CertificateSignature {
  const whole = derReader(readDer(certificate, derTag.sequence).content);
  const signed = whole.element(derTag.sequence);
  const algorithm = whole.element(derTag.sequence).bytes;
  const signature = readBitString(whole.element());
  whole.end();
  const fields = derReader(signed.content);
  fields.optional(derTag.constructed(0));
  fields.optional(derTag.integer);
  if (!fields.element(derTag.sequence).bytes.equals(algorithm)) {
    throw new MalformedDer('A signed structure names two signature algorithms.');
  }
  return { signed: signed.bytes, algorithm, signature };
}
