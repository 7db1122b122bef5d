import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AccessDescription,
  AuthorityInfoAccessSyntax,
  AuthorityKeyIdentifier,
  BasicConstraints,
  CRLDistributionPoints,
  DistributionPoint,
  DistributionPointName,
  ExtendedKeyUsage,
  GeneralName,
  KeyIdentifier,
} from '@peculiar/asn1-x509';
import { PdsLocation, QcCClegislation, QcEuPDS, QcType } from '@peculiar/asn1-x509-qualified-etsi';
import { derExtension, derNamedBits, derNull, derOid, derSequence } from './kernel/der.ts';
import { oid } from './kernel/oids.ts';
import {
  type CertificateProfile,
  type KeyUsageName,
  keyUsageBit,
  type QcProfile,
} from './profiles.ts';

/** A PKI disclosure statement. */
export interface DisclosureStatement {
  /** https (EN 319 412-5 §4.3.4). */
  readonly url: string;
  /** ISO 639-1. */
  readonly language: string;
}

/** Content shared by all certificates of one CA and profile. */
export interface StaticContent {
  /** `null` for a self-signed certificate. */
  readonly issuerKeyIdentifier: Buffer | null;
  /** http (RFC 5280 §4.2.2.1, §4.2.1.13). */
  readonly ocspUrl: string;
  readonly issuerCertificateUrl: string;
  readonly crlUrl: string;
  /** The operator's own policy arc, dotted. */
  readonly policyArc: string;
  readonly disclosureStatements: readonly DisclosureStatement[];
  /** ISO 3166 country whose law defines qualified certificates (EN 319 412-5 §4.2.4). */
  readonly legislation: string;
}

/** The policies a profile asserts, in order. */
export function policiesOf(profile: CertificateProfile, policyArc: string): readonly string[] {
  const own = profile.ownPolicy === null ? [] : [`${policyArc}.${profile.ownPolicy}`];
  return [...profile.policies, ...own];
}

/** DER of every extension shared by all certificates of the profile: encoded once, then copied. */
export function encodeStaticExtensions(
  profile: CertificateProfile,
  content: StaticContent,
): Buffer {
  const extensions: Buffer[] = [];
  if (content.issuerKeyIdentifier !== null) {
    const keyIdentifier = new KeyIdentifier(content.issuerKeyIdentifier);
    extensions.push(
      extension(oid.authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
    );
  }
  if (profile.basicConstraints !== null) {
    const { pathLength } = profile.basicConstraints;
    const constraints = new BasicConstraints({
      cA: true,
      ...(pathLength === null ? {} : { pathLenConstraint: pathLength }),
    });
    extensions.push(extension(oid.basicConstraints, constraints, true));
  }
  extensions.push(derExtension(oid.keyUsage, encodeKeyUsage(profile.keyUsage), true));
  if (profile.extendedKeyUsage.length > 0) {
    const usage = new ExtendedKeyUsage([...profile.extendedKeyUsage]);
    extensions.push(extension(oid.extendedKeyUsage, usage, profile.isExtendedKeyUsageCritical));
  }
  const policies = policiesOf(profile, content.policyArc);
  if (policies.length > 0) {
    extensions.push(derExtension(oid.certificatePolicies, encodePolicies(policies)));
  }
  if (!profile.selfSigned) {
    extensions.push(
      extension(oid.authorityInformationAccess, accessDescriptions(profile, content)),
      profile.status === 'noCheck'
        ? derExtension(oid.ocspNoCheck, derNull)
        : extension(oid.crlDistributionPoints, distributionPoints(content.crlUrl)),
    );
  }
  if (profile.qcStatements !== null) {
    extensions.push(
      derExtension(oid.qcStatements, encodeQcStatements(profile.qcStatements, content)),
    );
  }
  return Buffer.concat(extensions);
}

function extension(id: string, value: object, critical = false): Buffer {
  return derExtension(id, encode(value), critical);
}

function encodeKeyUsage(names: readonly KeyUsageName[]): Buffer {
  return derNamedBits(names.map((name) => keyUsageBit[name]));
}

function encodePolicies(policies: readonly string[]): Buffer {
  return derSequence(...policies.map((policy) => derSequence(derOid(policy))));
}

function uri(url: string): GeneralName {
  return new GeneralName({ uniformResourceIdentifier: url });
}

function accessDescriptions(
  profile: CertificateProfile,
  content: StaticContent,
): AuthorityInfoAccessSyntax {
  const ocsp = new AccessDescription({
    accessMethod: oid.ocsp,
    accessLocation: uri(content.ocspUrl),
  });
  const caIssuers = new AccessDescription({
    accessMethod: oid.caIssuers,
    accessLocation: uri(content.issuerCertificateUrl),
  });
  return new AuthorityInfoAccessSyntax(
    profile.status === 'ocspAndCrl' ? [ocsp, caIssuers] : [caIssuers],
  );
}

function distributionPoints(url: string): CRLDistributionPoints {
  const distributionPoint = new DistributionPointName({ fullName: [uri(url)] });
  return new CRLDistributionPoints([new DistributionPoint({ distributionPoint })]);
}

function encodeQcStatements(qc: QcProfile, content: StaticContent): Buffer {
  const statements: Buffer[] = [];
  const state = (id: string, ...info: readonly Uint8Array[]) =>
    statements.push(derSequence(derOid(id), ...info));
  state(oid.pkixQcSyntaxV2, derSequence(derOid(semanticsOf(qc))));
  if (qc.compliance) {
    state(oid.qcCompliance);
    state(oid.qcCcLegislation, encode(new QcCClegislation([content.legislation])));
  }
  if (qc.sscd) state(oid.qcSscd);
  if (qc.type !== null) state(oid.qcType, encode(new QcType([qcTypes[qc.type]])));
  if (qc.pds) {
    const locations = content.disclosureStatements.map((location) => new PdsLocation(location));
    state(oid.qcPds, encode(new QcEuPDS(locations)));
  }
  return derSequence(...statements);
}

/** EN 319 412-5 §4.2.3. */
export const qcTypes = { esign: oid.qcTypeEsign, eseal: oid.qcTypeEseal } as const;

/** EN 319 412-1 §5.1.2. */
export function semanticsOf({ semantics }: QcProfile): string {
  return semantics === 'natural' ? oid.semanticsNatural : oid.semanticsLegal;
}

function encode(value: object): Buffer {
  return Buffer.from(AsnConvert.serialize(value));
}
