import { X509Certificate } from 'node:crypto';
import { childrenOf, contentOf, type DerElement, derTag, oidText, readElements } from './der.ts';

/** Names in the certificate of the person (or organization) it was issued to; null where it has none. */
export interface CertificateSubject {
  /** Distinguished name, one attribute a line, as `X509Certificate.subject`. */
  readonly dn: string;
  readonly commonName: string | null;
  readonly givenName: string | null;
  readonly surname: string | null;
  /** `PNOMN-<civil id>` for a person (ETSI EN 319 412-1 §5.1.3). */
  readonly serialNumber: string | null;
  readonly country: string | null;
  readonly organizationIdentifier: string | null;
}

/** What the validator needs of a certificate beyond `X509Certificate`. */
export interface CertificateDetails {
  readonly x509: X509Certificate;
  readonly subject: CertificateSubject;
  readonly keyUsage: {
    readonly digitalSignature: boolean;
    readonly nonRepudiation: boolean;
    readonly keyCertSign: boolean;
  } | null;
  /** Certificate policies, dotted. */
  readonly policies: readonly string[];
  /** QCStatement identifiers (RFC 3739 §3.2.6), dotted. */
  readonly qcStatements: readonly string[];
  /** basicConstraints cA. */
  readonly isCa: boolean;
  /** basicConstraints pathLenConstraint; null: none. */
  readonly pathLength: number | null;
  /** Critical extensions this library does not process: such a certificate must be refused (RFC 5280 §4.2). */
  readonly unknownCritical: readonly string[];
}

const extension = {
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  certificatePolicies: '2.5.29.32',
  extendedKeyUsage: '2.5.29.37',
  qcStatements: '1.3.6.1.5.5.7.1.3',
} as const;

const processed: ReadonlySet<string> = new Set(Object.values(extension));

/** Reads a certificate. @throws Error when it is not one */
export function readCertificate(der: Buffer): CertificateDetails {
  const x509 = new X509Certificate(der);
  // Bytes after the certificate would make two different texts mean the same certificate.
  if (!x509.raw.equals(der)) throw new RangeError('The certificate is followed by other bytes.');
  const tbs = childrenOf(childrenOf(readElements(der)[0])[0]);
  const extensions = readExtensions(tbs.find(({ tag }) => tag === derTag.extensions));
  const constraints = readBasicConstraints(extensions.get(extension.basicConstraints));
  return {
    x509,
    subject: { dn: x509.subject, ...readSubject(tbs) },
    keyUsage: readKeyUsage(extensions.get(extension.keyUsage)),
    policies: firstOids(extensions.get(extension.certificatePolicies)),
    qcStatements: firstOids(extensions.get(extension.qcStatements)),
    ...constraints,
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

interface Extension {
  readonly critical: boolean;
  readonly value: Buffer;
}

function readExtensions(wrapper: DerElement | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (wrapper === undefined) return extensions;
  for (const element of childrenOf(readElements(wrapper.content)[0])) {
    const parts = childrenOf(element);
    const oid = oidText(contentOf(parts[0], derTag.oid));
    if (extensions.has(oid)) throw new RangeError('An extension appears twice.');
    const critical = parts[1]?.tag === derTag.boolean && parts[1].content[0] !== 0;
    extensions.set(oid, { critical, value: contentOf(parts.at(-1), derTag.octetString) });
  }
  return extensions;
}

function readKeyUsage(found: Extension | undefined): CertificateDetails['keyUsage'] {
  if (found === undefined) return null;
  const bits = contentOf(readElements(found.value)[0], derTag.bitString)[1] ?? 0;
  return {
    digitalSignature: (bits & 0x80) !== 0,
    nonRepudiation: (bits & 0x40) !== 0,
    keyCertSign: (bits & 0x04) !== 0,
  };
}

function readBasicConstraints(found: Extension | undefined) {
  if (found === undefined) return { isCa: false, pathLength: null };
  const parts = childrenOf(readElements(found.value)[0]);
  const length = parts.find(({ tag }) => tag === derTag.integer);
  return {
    isCa: parts[0]?.tag === derTag.boolean && parts[0].content[0] !== 0,
    pathLength:
      length === undefined
        ? null
        : length.content.readUIntBE(0, Math.min(length.content.length, 6)),
  };
}

/** The identifiers that lead each element of a sequence of sequences. */
function firstOids(found: Extension | undefined): readonly string[] {
  if (found === undefined) return [];
  return childrenOf(readElements(found.value)[0]).map((element) =>
    oidText(contentOf(childrenOf(element)[0], derTag.oid)),
  );
}

function readSubject(tbs: readonly DerElement[]): Omit<CertificateSubject, 'dn'> {
  // version [0] (absent in v1), serialNumber, signature, issuer, validity, subject
  const name = tbs[tbs[0]?.tag === 0xa0 ? 5 : 4];
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
