import type { EcdsaKeyType } from '../../application/ports/keyVault.ts';
import type {
  CitizenCertificateType,
  ServiceCertificateType,
} from '../../domain/certificate/events.ts';
import {
  type CertificateLevel,
  certificateLevels,
  type SealLevel,
} from '../../domain/shared/certificateLevel.ts';
import type { HashType } from '../../domain/shared/digest.ts';
import { oid } from './kernel/oids.ts';

/** RFC 5280 §4.2.1.3, by bit number. */
export const keyUsageBit = {
  digitalSignature: 0,
  nonRepudiation: 1,
  keyCertSign: 5,
  cRLSign: 6,
} as const;

export type KeyUsageName = keyof typeof keyUsageBit;

/** Content of the QCStatements extension (RFC 3739 §3.2.6, EN 319 412-5 §4); every flag is one statement. */
export interface QcProfile {
  /** EN 319 412-1 §5.1.2: semantics of the subject's identifier. */
  readonly semantics: 'natural' | 'legal';
  /** EN 319 412-5 §4.2.1 and §4.2.4: qualified, under the legislation of the country named. */
  readonly compliance: boolean;
  /** EN 319 412-5 §4.2.2: the private key resides in a qualified device. */
  readonly sscd: boolean;
  /** EN 319 412-5 §4.2.3: for electronic signatures, or for electronic seals. */
  readonly type: 'esign' | 'eseal' | null;
  /** EN 319 412-5 §4.3.4: with the addresses of the disclosure statements. */
  readonly pds: boolean;
}

/** `organization`: a legal person with its registration number also in serialNumber (specification, Identifiers). */
export type SubjectKind = 'ca' | 'naturalPerson' | 'legalPerson' | 'organization';

/** A certificate profile as data: the builder follows it, the lint checks the bytes against it. */
export interface CertificateProfile {
  readonly name: string;
  readonly subject: SubjectKind;
  /** RFC 5280 §4.2.1.9; `null`: the extension is absent, as EN 319 412-2 leaves end entities. */
  readonly basicConstraints: { readonly pathLength: number | null } | null;
  /** Exactly these bits, critical. */
  readonly keyUsage: readonly KeyUsageName[];
  readonly extendedKeyUsage: readonly string[];
  /** RFC 5280 §4.2.1.12: restricts the key even for software that does not know the extension. */
  readonly isExtendedKeyUsageCritical: boolean;
  /** Policies of the standards; `ownPolicy` follows them. */
  readonly policies: readonly string[];
  /** Arcs of the operator's own policy below its arc; `null`: none. */
  readonly ownPolicy: string | null;
  readonly qcStatements: QcProfile | null;
  /**
   * Sources of its status: responder and CRL, CRL alone, or none, because it is too short-lived to be revoked and says
   * so (RFC 6960 §4.2.2.2.1, id-pkix-ocsp-nocheck).
   */
  readonly status: 'ocspAndCrl' | 'crl' | 'noCheck';
  /** Self-signed: no AKI, no AIA, no CRL distribution point (RFC 5280 §4.2.1.1). */
  readonly selfSigned: boolean;
  /** Longest validity, days. */
  readonly maxDays: number;
}

const caKeyUsage: readonly KeyUsageName[] = ['keyCertSign', 'cRLSign'];

/** The trust anchor (RFC 5280 §4.2.1.3, §4.2.1.9). */
export const rootProfile: CertificateProfile = {
  name: 'root CA',
  subject: 'ca',
  basicConstraints: { pathLength: null },
  keyUsage: caKeyUsage,
  extendedKeyUsage: [],
  isExtendedKeyUsageCritical: false,
  policies: [],
  ownPolicy: null,
  qcStatements: null,
  status: 'crl',
  selfSigned: true,
  maxDays: 40 * 366,
};

function issuingProfile(name: string): CertificateProfile {
  return {
    ...rootProfile,
    name,
    // Issues end-entity certificates only.
    basicConstraints: { pathLength: 0 },
    // A CA of the same operator may issue under any of its policies (RFC 5280 §4.2.1.4).
    policies: [oid.anyPolicy],
    selfSigned: false,
    maxDays: 20 * 366,
  };
}

/** Issues to `PNO…` subjects. */
export const personalCaProfile = issuingProfile('personal issuing CA');

/** Issues to `NTR…` subjects. */
export const organizationCaProfile = issuingProfile('organization issuing CA');

/** EN 319 411-2 §5.3: QCP-n, QCP-n-qscd; EN 319 411-1 §5.3: NCP below qualified and for authentication. */
function policyFor(type: CitizenCertificateType, level: CertificateLevel): string {
  if (type === 'AUTH' || level === 'ADVANCED') return oid.ncp;
  return level === 'QSCD' ? oid.qcpNaturalQscd : oid.qcpNatural;
}

function citizenProfile(type: CitizenCertificateType, level: CertificateLevel): CertificateProfile {
  const isSigning = type === 'SIGN';
  // Only a certificate for electronic signatures can be qualified, so authentication states no compliance.
  const isQualified = isSigning && level !== 'ADVANCED';
  return {
    name: `citizen ${type} ${level}`,
    subject: 'naturalPerson',
    basicConstraints: null,
    // EN 319 412-2 §4.3.2: type A for signing (commitment to content alone), type C for authentication.
    keyUsage: isSigning ? ['nonRepudiation'] : ['digitalSignature'],
    extendedKeyUsage: isSigning ? [] : [oid.clientAuth],
    isExtendedKeyUsageCritical: false,
    policies: [policyFor(type, level)],
    ownPolicy: ownPolicyArcs(type, level),
    qcStatements: {
      semantics: 'natural',
      compliance: isQualified,
      sscd: isQualified && level === 'QSCD',
      type: isQualified ? 'esign' : null,
      pds: isQualified,
    },
    status: 'ocspAndCrl',
    selfSigned: false,
    maxDays: 5 * 366,
  };
}

/** Below the own arc: 1 (citizens), level 1 to 3 from ADVANCED to QSCD, 1 AUTH or 2 SIGN: tells a certificate's level. */
function ownPolicyArcs(type: CitizenCertificateType, level: CertificateLevel): string {
  return `1.${certificateLevels.indexOf(level) + 1}.${type === 'AUTH' ? 1 : 2}`;
}

const citizenProfiles = new Map(
  (['AUTH', 'SIGN'] as const).flatMap((type) =>
    certificateLevels.map((level) => [`${type} ${level}`, citizenProfile(type, level)] as const),
  ),
);

/** The profile of a citizen's certificate. */
export function citizenProfileOf(
  type: CitizenCertificateType,
  level: CertificateLevel,
): CertificateProfile {
  const profile = citizenProfiles.get(`${type} ${level}`);
  if (profile === undefined) throw new Error(`There is no profile for ${type} ${level}.`);
  return profile;
}

/** An organization's seal (EN 319 412-3 §4, EN 319 411-2 §5.3: QCP-l, QCP-l-qscd). Own policies below arc 2. */
function sealProfile(level: SealLevel): CertificateProfile {
  const isQscd = level === 'QSCD';
  return {
    name: `seal ${level}`,
    subject: 'organization',
    basicConstraints: null,
    // EN 319 412-2 §4.3.2 type A: commitment to content alone.
    keyUsage: ['nonRepudiation'],
    extendedKeyUsage: [],
    isExtendedKeyUsageCritical: false,
    policies: [isQscd ? oid.qcpLegalQscd : oid.qcpLegal],
    ownPolicy: `2.${certificateLevels.indexOf(level) + 1}`,
    qcStatements: { semantics: 'legal', compliance: true, sscd: isQscd, type: 'eseal', pds: true },
    status: 'ocspAndCrl',
    selfSigned: false,
    maxDays: 5 * 366,
  };
}

const sealProfiles: Readonly<Record<SealLevel, CertificateProfile>> = {
  QUALIFIED: sealProfile('QUALIFIED'),
  QSCD: sealProfile('QSCD'),
};

/** The profile of an organization's seal certificate. */
export function sealProfileOf(level: SealLevel): CertificateProfile {
  return sealProfiles[level];
}

/** Common parts of the certificates of the platform's own keys: the operator as a legal person (EN 319 412-3 §4). */
const platformProfile: CertificateProfile = {
  name: 'platform',
  subject: 'legalPerson',
  basicConstraints: null,
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: [],
  isExtendedKeyUsageCritical: false,
  policies: [oid.ncp],
  ownPolicy: null,
  qcStatements: null,
  status: 'ocspAndCrl',
  selfSigned: false,
  maxDays: 6 * 366,
};

/** Own policies below arc 3. */
const serviceProfiles: Readonly<Record<ServiceCertificateType, CertificateProfile>> = {
  // RFC 6960 §4.2.2.2: delegated by the issuing CA; its status is not checked, so it is short-lived.
  OCSP: {
    ...platformProfile,
    name: 'OCSP responder',
    extendedKeyUsage: [oid.ocspSigning],
    policies: [],
    ownPolicy: '3.1',
    status: 'noCheck',
    maxDays: 14,
  },
  // RFC 3161 §2.3: exactly one extended key usage, critical; EN 319 422 §6.
  TSA: {
    ...platformProfile,
    name: 'time-stamping authority',
    extendedKeyUsage: [oid.timeStamping],
    isExtendedKeyUsageCritical: true,
    ownPolicy: '3.2',
  },
  // EN 319 412-3: an electronic seal of the operator. EN 319 412-2 §4.3.2 type A: commitment to content alone.
  DOCUMENT: {
    ...platformProfile,
    name: 'document signer',
    keyUsage: ['nonRepudiation'],
    ownPolicy: '3.3',
    qcStatements: {
      semantics: 'legal',
      compliance: false,
      sscd: false,
      type: null,
      pds: false,
    },
    maxDays: 3 * 366,
  },
};

/** The profile of a certificate of the platform's own. */
export function serviceProfileOf(type: ServiceCertificateType): CertificateProfile {
  return serviceProfiles[type];
}

/**
 * A key that signs tree heads. It is the only end entity the Root CA certifies itself, so that an auditor who trusts
 * the root recognises the key by its issuer. It signs as long as the root can be trusted; its status is in the root's
 * list.
 */
export const treeKeyProfile: CertificateProfile = {
  ...platformProfile,
  name: 'audit tree key',
  policies: [],
  ownPolicy: '3.4',
  status: 'crl',
  maxDays: rootProfile.maxDays,
};

/** Signature algorithm of a CA: a hash as strong as the curve (ETSI TS 119 312). */
export const signatureSuites: Readonly<
  Record<EcdsaKeyType, { readonly hash: HashType; readonly algorithm: string }>
> = {
  'P-256': { hash: 'SHA256', algorithm: oid.ecdsaWithSha256 },
  'P-384': { hash: 'SHA384', algorithm: oid.ecdsaWithSha384 },
};
