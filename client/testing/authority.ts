import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  derExtension,
  derNamedBits,
  derOid,
  derPrimitive,
  derSequence,
  derTrue,
  derUnsigned,
} from '../../infrastructure/pki/kernel/der.ts';
import { encodeName, type NameAttribute } from '../../infrastructure/pki/kernel/name.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import {
  assembleCertificate,
  createTbsEncoder,
  keyIdentifierOf,
} from '../../infrastructure/pki/kernel/tbsCertificate.ts';
import type { CertificateLevel } from '../index.ts';
import { certificateLevels } from '../types.ts';
import { DEFAULT_POLICY_ARC } from '../validator/level.ts';

/** Certified P-256 key of somebody. */
export interface Holder {
  /** DER. */
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
}

/** Wish for a citizen's certificate. */
export interface CitizenWish {
  readonly purpose: 'AUTH' | 'SIGN';
  readonly etsi: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly level: CertificateLevel;
  /** True: its validity is over. */
  readonly expired?: boolean;
}

/** Certification authority in memory: a root and the CA below it that certifies citizens. */
export interface FakeAuthority {
  readonly rootPem: string;
  readonly issuingPem: string;
  certify(wish: CitizenWish): Holder;
  certifySeal(wish: SealWish): Holder;
}

/** Wish for an organization's seal certificate. */
export interface SealWish {
  /** `NTRMN-<register>`. */
  readonly orgEtsi: string;
  readonly name: string;
  readonly level: 'QUALIFIED' | 'QSCD';
}

type Extensions = readonly Buffer[];

const DAY_MS = 86_400_000;
const SERIAL_BYTES = 16;

/** RFC 5280 §4.2.1.3, bit numbers. */
const usage = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5, cRLSign: 6 } as const;

/** Makes keys and certificates of a new authority; nobody else trusts it. */
export function createFakeAuthority(): FakeAuthority {
  const rootName = caName('Fake root, for tests');
  const root = certify({ subject: rootName, extensions: caExtensions() }, null, rootName);
  const issuingName = caName('Fake personal CA, for tests');
  const issuing = certify({ subject: issuingName, extensions: caExtensions(0) }, root, rootName);
  return {
    rootPem: pem(root.certificate),
    issuingPem: pem(issuing.certificate),
    certify: (wish) =>
      certify(
        {
          subject: personName(wish),
          extensions: citizenExtensions(wish),
          days: wish.expired === true ? [-30, -1] : [-1, 365],
        },
        issuing,
        issuingName,
      ),
    certifySeal: (wish) =>
      certify(
        { subject: organizationName(wish), extensions: sealExtensions(wish), days: [-1, 365] },
        issuing,
        issuingName,
      ),
  };
}

interface CertificateWish {
  /** Name, DER. */
  readonly subject: Buffer;
  readonly extensions: Extensions;
  /** Validity, days from now; default: yesterday to ten years from now. */
  readonly days?: readonly [from: number, until: number];
}

/** @param issuer null: self-signed */
function certify(
  { subject, extensions, days = [-1, 3650] }: CertificateWish,
  issuer: Holder | null,
  issuerName: Buffer,
): Holder {
  const { privateKey, publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = key.export({ format: 'der', type: 'spki' });
  const identifier = issuer === null ? [] : [authorityKeyIdentifier(issuer.publicKey)];
  const encode = createTbsEncoder({
    issuer: issuerName,
    signatureAlgorithm: oid.ecdsaWithSha256,
    staticExtensions: Buffer.concat([...identifier, ...extensions]),
  });
  const [notBefore, notAfter] = days.map((day) => new Date(Date.now() + day * DAY_MS));
  if (notBefore === undefined || notAfter === undefined)
    throw new Error('A validity has two ends.');
  const serial = randomBytes(SERIAL_BYTES);
  const tbs = encode({ serial, subject, publicKey, notBefore, notAfter });
  const signature = sign('sha256', tbs, issuer?.privateKey ?? privateKey);
  const certificate = assembleCertificate(tbs, oid.ecdsaWithSha256, signature);
  return { certificate, privateKey, publicKey };
}

function authorityKeyIdentifier(publicKey: Buffer): Buffer {
  const identifier = derPrimitive(0, keyIdentifierOf(publicKey));
  return derExtension(oid.authorityKeyIdentifier, derSequence(identifier));
}

/** @param pathLength absent: any */
function caExtensions(pathLength?: number): Extensions {
  const length = pathLength === undefined ? [] : [derUnsigned(Buffer.from([pathLength]))];
  return [
    derExtension(oid.basicConstraints, derSequence(derTrue, ...length), true),
    derExtension(oid.keyUsage, derNamedBits([usage.keyCertSign, usage.cRLSign]), true),
    derExtension(oid.certificatePolicies, policies(oid.anyPolicy)),
  ];
}

/** The platform's own policy names level and purpose: see {@link DEFAULT_POLICY_ARC}. */
function citizenExtensions({ purpose, level }: CitizenWish): Extensions {
  const bit = purpose === 'AUTH' ? usage.digitalSignature : usage.nonRepudiation;
  const arcs = [1, certificateLevels.indexOf(level) + 1, purpose === 'AUTH' ? 1 : 2];
  return [
    derExtension(oid.keyUsage, derNamedBits([bit]), true),
    derExtension(
      oid.certificatePolicies,
      policies(oid.ncp, `${DEFAULT_POLICY_ARC}.${arcs.join('.')}`),
    ),
  ];
}

/** ETSI EN 319 411-2 §5.3: QCP-l, QCP-l-qscd. */
const sealPolicies = { QUALIFIED: '0.4.0.194112.1.1', QSCD: '0.4.0.194112.1.3' } as const;

function sealExtensions({ level }: SealWish): Extensions {
  return [
    derExtension(oid.keyUsage, derNamedBits([usage.nonRepudiation]), true),
    derExtension(oid.certificatePolicies, policies(sealPolicies[level])),
  ];
}

function policies(...named: readonly string[]): Buffer {
  return derSequence(...named.map((policy) => derSequence(derOid(policy))));
}

function caName(commonName: string): Buffer {
  return name([
    [oid.countryName, 'MN'],
    [oid.commonName, commonName],
  ]);
}

function personName({ etsi, firstName, lastName }: CitizenWish): Buffer {
  return name([
    [oid.countryName, 'MN'],
    [oid.surname, lastName],
    [oid.givenName, firstName],
    [oid.serialNumber, etsi],
    [oid.commonName, `${lastName} ${firstName}`],
  ]);
}

function organizationName({ orgEtsi, name: organization }: SealWish): Buffer {
  return name([
    [oid.countryName, 'MN'],
    [oid.organizationName, organization],
    [oid.organizationIdentifier, orgEtsi],
    [oid.commonName, organization],
  ]);
}

function name(attributes: readonly (readonly [type: string, value: string])[]): Buffer {
  return encodeName(attributes.map(([type, value]): NameAttribute => ({ type, value })));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
