import {
  constants,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import {
  derBitString,
  derExplicit,
  derExtension,
  derNull,
  derOctetString,
  derOid,
  derPrimitive,
  derPrintable,
  derSequence,
  derSet,
  derTime,
  derTrue,
  derUnsigned,
  derValue,
} from '../../../infrastructure/pki/kernel/der.ts';
import { countryName } from '../../../infrastructure/passport/demo/demoPassports.ts';
import { certificateFields } from '../../../infrastructure/pki/kernel/certificate.ts';
import { asSent, cmsAttribute, implicitSet } from '../../../infrastructure/pki/signedData.ts';
import { oid } from '../../../infrastructure/pki/kernel/oids.ts';

// Travel documents as a State would issue them: its own authority, its own document signer, real signatures. What Tamga
// verifies is made here by other means than it is read: node:crypto and a DER writer.

/** Machine-readable zones printed in Doc 9303-4 appendix B, -5 appendix B and -6 appendix B. */
export const specimen = {
  TD3: 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10',
  TD2: 'I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\nD231458907UTO7408122F1204159<<<<<<<6',
  TD1: 'I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<',
} as const;

/** A day on which the specimens were in force. */
export const specimenDay = new Date('2010-06-01T12:00:00Z');

type Hash = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

export type KeyKind =
  | 'P-256'
  | 'P-384'
  | 'P-521'
  | 'brainpoolP256r1'
  | 'P-256 explicit'
  | 'RSA'
  | 'RSA-PSS'
  | 'RSA-1024';

export interface Signer {
  readonly kind: KeyKind;
  readonly hash: Hash;
  readonly privateKey: KeyObject;
  /** DER. */
  readonly certificate: Buffer;
  readonly subject: Buffer;
  readonly serial: Buffer;
}

const curves: Readonly<Partial<Record<KeyKind, string>>> = {
  'P-256': 'prime256v1',
  'P-384': 'secp384r1',
  'P-521': 'secp521r1',
  'P-256 explicit': 'prime256v1',
  brainpoolP256r1: 'brainpoolP256r1',
};

/** Making an RSA key takes long: three are enough for an authority, its signer and another key. */
const rsaKeys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }[] = [];
let rsaKeysGiven = 0;

function keyPair(kind: KeyKind) {
  const namedCurve = curves[kind];
  if (namedCurve !== undefined) {
    const paramEncoding = kind === 'P-256 explicit' ? 'explicit' : 'named';
    return generateKeyPairSync('ec', { namedCurve, paramEncoding });
  }
  if (kind === 'RSA-1024') return generateKeyPairSync('rsa', { modulusLength: 1024 });
  const index = rsaKeysGiven % 3;
  rsaKeysGiven += 1;
  return (rsaKeys[index] ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
}

const hashOids: Readonly<Record<Hash, string>> = {
  sha1: oid.sha1,
  sha224: oid.sha224,
  sha256: oid.sha256,
  sha384: oid.sha384,
  sha512: oid.sha512,
};

const rsaOids: Readonly<Record<Hash, string>> = {
  sha1: '1.2.840.113549.1.1.5',
  sha224: oid.sha224WithRsa,
  sha256: oid.sha256WithRsa,
  sha384: oid.sha384WithRsa,
  sha512: oid.sha512WithRsa,
};

const ecdsaOids: Readonly<Record<Hash, string>> = {
  sha1: '1.2.840.10045.4.1',
  sha224: oid.ecdsaWithSha224,
  sha256: oid.ecdsaWithSha256,
  sha384: oid.ecdsaWithSha384,
  sha512: oid.ecdsaWithSha512,
};

const saltLengths: Readonly<Record<Hash, number>> = {
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

const isRsa = (kind: KeyKind) => kind.startsWith('RSA');

function algorithmOf(kind: KeyKind, hash: Hash): Buffer {
  if (kind === 'RSA-PSS') {
    const hashed = derSequence(derOid(hashOids[hash]), derNull);
    return derSequence(
      derOid(oid.rsassaPss),
      derSequence(
        derExplicit(0, hashed),
        derExplicit(1, derSequence(derOid(oid.mgf1), hashed)),
        derExplicit(2, derUnsigned(Buffer.from([saltLengths[hash]]))),
      ),
    );
  }
  return isRsa(kind)
    ? derSequence(derOid(rsaOids[hash]), derNull)
    : derSequence(derOid(ecdsaOids[hash]));
}

function signed(
  bytes: Uint8Array,
  { kind, hash, privateKey }: Omit<Signer, 'certificate' | 'subject' | 'serial'>,
) {
  return kind === 'RSA-PSS'
    ? sign(hash, bytes, {
        key: privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: saltLengths[hash],
      })
    : sign(hash, bytes, privateKey);
}

export interface CertificateOptions {
  readonly kind?: KeyKind;
  readonly hash?: Hash;
  readonly country?: string;
  readonly name?: string;
  readonly notBefore?: string;
  readonly notAfter?: string;
  /** Bits of KeyUsage as their first byte; null leaves the extension out. */
  readonly keyUsage?: number | null;
  readonly extendedKeyUsage?: string;
  readonly isAuthority?: boolean;
  /** DER of further extensions. */
  readonly further?: readonly Buffer[];
}

function certify(
  subjectOptions: Required<CertificateOptions>,
  issuer: Signer | null,
  keys = keyPair(subjectOptions.kind),
): Signer {
  const { kind, hash, country, name, keyUsage, isAuthority, extendedKeyUsage } = subjectOptions;
  const { further } = subjectOptions;
  const { publicKey, privateKey } = keys;
  const subject = countryName(country, name);
  const serial = Buffer.concat([Buffer.from([0x40]), randomBytes(15)]);
  const by = issuer ?? { kind, hash, privateKey, subject };
  const algorithm = algorithmOf(by.kind, by.hash);
  const extensions = [
    ...(isAuthority
      ? [
          derExtension(
            oid.basicConstraints,
            derSequence(derTrue, derUnsigned(Buffer.from([0]))),
            true,
          ),
        ]
      : []),
    ...(keyUsage === null
      ? []
      : [derExtension(oid.keyUsage, derValue(0x03, Buffer.from([1, keyUsage])), true)]),
    ...(extendedKeyUsage === ''
      ? []
      : [derExtension(oid.extendedKeyUsage, derSequence(derOid(extendedKeyUsage)), true)]),
    derExtension(oid.subjectKeyIdentifier, derOctetString(keyIdentifier(publicKey))),
    derExtension(
      oid.authorityKeyIdentifier,
      derSequence(derPrimitive(0, keyIdentifier(createPublicKey(by.privateKey)))),
    ),
    ...further,
  ];
  const tbs = derSequence(
    derExplicit(0, derUnsigned(Buffer.from([2]))),
    derUnsigned(serial),
    algorithm,
    by.subject,
    derSequence(
      derTime(new Date(subjectOptions.notBefore)),
      derTime(new Date(subjectOptions.notAfter)),
    ),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    derExplicit(3, derSequence(...extensions)),
  );
  const certificate = derSequence(tbs, algorithm, derBitString(signed(tbs, by)));
  return { kind, hash, privateKey, certificate, subject, serial };
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest();
}

const ofAuthorities: Required<CertificateOptions> = {
  kind: 'P-384',
  hash: 'sha384',
  country: 'UT',
  name: 'Utopia CSCA',
  notBefore: '2005-01-01T00:00:00Z',
  notAfter: '2035-01-01T00:00:00Z',
  keyUsage: 0x06,
  extendedKeyUsage: '',
  isAuthority: true,
  further: [],
};

/** A country signing certificate authority (Doc 9303-12). */
export function createCountryAuthority(options: CertificateOptions = {}): Signer {
  return certify({ ...ofAuthorities, ...options }, null);
}

/** The link certificate by which an authority's old key vouches for its new one (Doc 9303-12 §7.1.1). */
export function linkCertificate(older: Signer, { privateKey }: Signer): Signer {
  const publicKey = createPublicKey(privateKey);
  return certify(ofAuthorities, older, { publicKey, privateKey });
}

/** A document signer certified by that authority. */
export function createDocumentSigner(authority: Signer, options: CertificateOptions = {}): Signer {
  return certify(
    {
      kind: 'P-256',
      hash: 'sha256',
      country: 'UT',
      name: 'Utopia Document Signer 1',
      notBefore: '2006-01-01T00:00:00Z',
      notAfter: '2034-01-01T00:00:00Z',
      keyUsage: 0x80,
      extendedKeyUsage: '',
      isAuthority: false,
      further: [],
      ...options,
    },
    authority,
  );
}

/** EF.DG2 with something in place of a face. */
export const dataGroup2 = derValue(0x75, Buffer.alloc(300, 0x5a));

/** EF.DG11 with a personal number (Doc 9303-10 table 67). */
export function dataGroup11(personalNumber: string): Buffer {
  return derValue(
    0x6b,
    derValue(0x5c, Buffer.from('5f10', 'hex')),
    Buffer.from([0x5f]),
    derValue(0x10, Buffer.from(personalNumber, 'utf8')),
  );
}

export interface SecurityObjectOptions {
  readonly hash?: Hash;
  readonly version?: 0 | 1 | 2;
  readonly signedAt?: Date | null;
  readonly contentType?: string;
  /** Of the signed attribute, where it is to differ. */
  readonly attributeType?: string;
  readonly messageDigest?: Buffer;
  readonly isWithoutAttributes?: boolean;
  readonly isWithoutCertificate?: boolean;
  readonly isByKeyIdentifier?: boolean;
}

/** EF.SOD over those files, by number of the data group. */
export function securityObject(
  signer: Signer,
  dataGroups: ReadonlyMap<number, Buffer>,
  options: SecurityObjectOptions = {},
): Buffer {
  return derValue(0x77, signedData(signer, ldsSecurityObject(dataGroups, options), options));
}

/** LDSSecurityObject of Doc 9303-10 §4.6.2.3. */
export function ldsSecurityObject(
  dataGroups: ReadonlyMap<number, Buffer>,
  { hash = 'sha256', version = 0 }: SecurityObjectOptions = {},
): Buffer {
  return derSequence(
    derUnsigned(Buffer.from([version])),
    derSequence(derOid(hashOids[hash])),
    derSequence(
      ...[...dataGroups].map(([number, file]) =>
        derSequence(
          derUnsigned(Buffer.from([number])),
          derOctetString(createHash(hash).update(file).digest()),
        ),
      ),
    ),
    ...(version === 1 ? [derSequence(derPrintable('0108'), derPrintable('040000'))] : []),
  );
}

/** CMS SignedData by that signer, as Doc 9303-10 table 37 profiles it. */
export function signedData(
  signer: Signer,
  content: Buffer,
  options: SecurityObjectOptions = {},
): Buffer {
  const { contentType = oid.ldsSecurityObject, signedAt = null } = options;
  const digest = createHash(signer.hash).update(content).digest();
  const attributes = derSet(
    cmsAttribute(oid.contentType, derOid(options.attributeType ?? contentType)),
    cmsAttribute(oid.messageDigest, derOctetString(options.messageDigest ?? digest)),
    ...(signedAt === null ? [] : [cmsAttribute(oid.signingTime, derTime(signedAt))]),
  );
  const isBare = options.isWithoutAttributes === true;
  const identifier = options.isByKeyIdentifier
    ? derPrimitive(0, keyIdentifier(createPublicKey(signer.privateKey)))
    : derSequence(certificateFields(signer.certificate).issuer, derUnsigned(signer.serial));
  const signerInfo = derSequence(
    derUnsigned(Buffer.from([options.isByKeyIdentifier ? 3 : 1])),
    identifier,
    derSequence(derOid(hashOids[signer.hash])),
    ...(isBare ? [] : [asSent(attributes)]),
    algorithmOf(signer.kind, signer.hash),
    derOctetString(signed(isBare ? content : attributes, signer)),
  );
  return derSequence(
    derOid(oid.signedData),
    derExplicit(
      0,
      derSequence(
        derUnsigned(Buffer.from([3])),
        derSet(derSequence(derOid(hashOids[signer.hash]))),
        derSequence(derOid(contentType), derExplicit(0, derOctetString(content))),
        ...(options.isWithoutCertificate ? [] : [implicitSet(0, signer.certificate)]),
        derSet(signerInfo),
      ),
    ),
  );
}

/** A CSCA master list (Doc 9303-12 §8). */
export function masterList(signer: Signer, certificates: readonly Buffer[]): Buffer {
  const list = derSequence(derUnsigned(Buffer.from([0])), derSet(...certificates));
  return signedData(signer, list, { contentType: oid.cscaMasterList });
}
