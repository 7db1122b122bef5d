import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AuthorityInfoAccessSyntax,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  CertificatePolicies,
  CRLDistributionPoints,
  ExtendedKeyUsage,
  type Extension,
  type GeneralName,
  KeyUsage,
  type Name,
  SubjectKeyIdentifier,
  TBSCertificate,
} from '@peculiar/asn1-x509';
import { type QCStatement, QCStatements } from '@peculiar/asn1-x509-qualified';
import type { NameAttribute } from './kernel/name.ts';
import { nameText } from './names.ts';
import { oid } from './kernel/oids.ts';

/** A to-be-signed certificate parsed from its bytes, for the lint. */
export interface ParsedCertificate {
  readonly bytes: Buffer;
  readonly tbs: TBSCertificate;
  readonly serial: Buffer;
  readonly issuer: Buffer;
  readonly subject: ReadonlyMap<string, readonly SubjectValue[]>;
  readonly publicKey: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Extension[];
}

export interface SubjectValue {
  readonly text: string;
  readonly encoding: 'printable' | 'utf8' | 'other';
}

/** @throws Error when the bytes are no TBSCertificate */
export function parseCertificate(bytes: Buffer): ParsedCertificate {
  const tbs = AsnConvert.parse(bytes, TBSCertificate);
  return {
    bytes,
    tbs,
    serial: Buffer.from(tbs.serialNumber),
    issuer: Buffer.from(AsnConvert.serialize(tbs.issuer)),
    subject: readSubject(tbs.subject),
    publicKey: Buffer.from(AsnConvert.serialize(tbs.subjectPublicKeyInfo)),
    notBefore: tbs.validity.notBefore.getTime(),
    notAfter: tbs.validity.notAfter.getTime(),
    extensions: Array.from(tbs.extensions ?? []),
  };
}

/** The attributes of a certificate's subject in order. */
export function subjectAttributes({ tbs }: ParsedCertificate): readonly NameAttribute[] {
  return [...tbs.subject].flatMap((rdn) =>
    [...rdn].map(({ type, value }) => ({ type, value: value.toString() })),
  );
}

/** The signed part of a certificate. @throws Error when `der` is no certificate */
export function parseSignedCertificate(der: Buffer): ParsedCertificate {
  const { tbsCertificate } = AsnConvert.parse(der, Certificate);
  return parseCertificate(Buffer.from(AsnConvert.serialize(tbsCertificate)));
}

/** The subject as RFC 4514 writes it. @param der a signed certificate */
export function subjectText(der: Buffer): string {
  return nameText(subjectAttributes(parseSignedCertificate(der)));
}

function readSubject(name: Name): ReadonlyMap<string, readonly SubjectValue[]> {
  const values = new Map<string, SubjectValue[]>();
  for (const { type, value } of [...name].flatMap((rdn) => [...rdn])) {
    const { printableString, utf8String } = value;
    const text = printableString ?? utf8String ?? '';
    const encoding =
      printableString !== undefined ? 'printable' : utf8String !== undefined ? 'utf8' : 'other';
    values.set(type, [...(values.get(type) ?? []), { text, encoding }]);
  }
  return values;
}

/** The extension of that OID; `undefined` when absent. */
export function extensionOf(certificate: ParsedCertificate, id: string): Extension | undefined {
  return certificate.extensions.find(({ extnID }) => extnID === id);
}

function valueOf<T>(certificate: ParsedCertificate, id: string, type: new () => T): T | undefined {
  const extension = extensionOf(certificate, id);
  return extension === undefined ? undefined : AsnConvert.parse(extension.extnValue, type);
}

/** statementInfo is OPTIONAL (RFC 3739 §3.2.6); the library's type does not say so. */
type Statement = Pick<QCStatement, 'statementId'> & Partial<Pick<QCStatement, 'statementInfo'>>;

/** Typed readers of the extensions; `undefined` when absent, an exception when malformed. */
export const read = {
  keyUsage: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.keyUsage, KeyUsage)?.toJSON().map(String),
  extendedKeyUsage: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.extendedKeyUsage, ExtendedKeyUsage),
  basicConstraints: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.basicConstraints, BasicConstraints),
  policies: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.certificatePolicies, CertificatePolicies)?.map(
      (item) => item.policyIdentifier,
    ),
  authorityKeyIdentifier: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.authorityKeyIdentifier, AuthorityKeyIdentifier),
  subjectKeyIdentifier: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.subjectKeyIdentifier, SubjectKeyIdentifier),
  /** Access method and URL. */
  accessDescriptions: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.authorityInformationAccess, AuthorityInfoAccessSyntax)?.map(
      ({ accessMethod, accessLocation }) => ({ accessMethod, url: urlOf(accessLocation) }),
    ),
  distributionPoints: (certificate: ParsedCertificate) =>
    valueOf(certificate, oid.crlDistributionPoints, CRLDistributionPoints)?.flatMap((point) =>
      (point.distributionPoint?.fullName ?? []).map(urlOf),
    ),
  qcStatements: (certificate: ParsedCertificate) => {
    const statements = valueOf(certificate, oid.qcStatements, QCStatements);
    return statements?.map(({ statementId, statementInfo }: Statement) => ({
      id: statementId,
      info: statementInfo,
    }));
  },
} as const;

function urlOf(name: GeneralName): string {
  return name.uniformResourceIdentifier ?? '';
}
