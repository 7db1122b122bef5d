import 'reflect-metadata';
import {
  constants,
  createHash,
  createPrivateKey,
  createSign,
  type KeyObject,
  privateEncrypt,
  webcrypto,
} from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import * as x509 from '@peculiar/x509';
import { buildAcspV2Payload } from '../../client/index.ts';
import type { CertificateLevel, SessionResult } from '../../client/index.ts';

// A small certification authority whose certificates can be wrong in every way a hostile one could.

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const rsa = (modulusLength: number) => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
});

export interface Issued {
  readonly certificate: x509.X509Certificate;
  readonly pem: string;
  readonly derB64: string;
  readonly privateKey: KeyObject;
  readonly keys: CryptoKeyPair;
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

export interface Wish {
  readonly name: string;
  /** Omitted: self-signed. */
  readonly issuer?: Issued;
  readonly ca?: boolean;
  readonly pathLength?: number;
  readonly usage?: 'AUTH' | 'SIGN' | 'CA';
  /** Policy identifiers. */
  readonly policies?: readonly string[];
  readonly qcStatements?: readonly string[];
  readonly rsaBits?: number;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly criticalExtra?: boolean;
  /** Authority information access and distribution point. */
  readonly ocspUrl?: string;
  readonly crlUrl?: string;
  /** Extended key usage, dotted. */
  readonly purposes?: readonly string[];
  /** Wrong on purpose: the key identifier of another authority. */
  readonly authorityKey?: Issued;
  /** Authority named by issuer and serial number instead of its key. */
  readonly authorityCertificate?: Issued;
  /** Default P-256. */
  readonly curve?: 'P-384';
  /** Of another certificate: the same holder, certified once more. Default: new ones. */
  readonly keys?: CryptoKeyPair;
  /** Default `PNOMN-110000000001`. */
  readonly person?: string;
  /** A legal person's `NTRMN-<register>`, in place of a person. */
  readonly organization?: string;
}

export const policy = {
  ncp: '0.4.0.2042.1.1',
  qcpN: '0.4.0.194112.1.0',
  qcpNQscd: '0.4.0.194112.1.2',
} as const;
export const qc = { compliance: '0.4.0.1862.1.1', sscd: '0.4.0.1862.1.4' } as const;

const usages: Readonly<Record<'AUTH' | 'SIGN' | 'CA', x509.KeyUsageFlags>> = {
  AUTH: x509.KeyUsageFlags.digitalSignature,
  SIGN: x509.KeyUsageFlags.nonRepudiation,
  CA: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
};

let serial = 1000;

async function newKeys({ rsaBits, curve }: Wish): Promise<CryptoKeyPair> {
  const namedCurve = curve ?? ecdsa.namedCurve;
  const algorithm = rsaBits === undefined ? { ...ecdsa, namedCurve } : rsa(rsaBits);
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

export async function issue(wish: Wish): Promise<Issued> {
  const keys = wish.keys ?? (await newKeys(wish));
  const { issuer } = wish;
  const signingKey = (issuer?.keys ?? keys).privateKey;
  const { person = 'PNOMN-110000000001', organization } = wish;
  const holder =
    organization === undefined
      ? `2.5.4.42=Болд, 2.5.4.4=Дорж, 2.5.4.5=${person}`
      : `2.5.4.97=${organization}`;
  const subject = `CN=${wish.name}, ${holder}, C=MN`;
  serial += 1;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial.toString(16).padStart(4, '0'),
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: wish.notBefore ?? new Date('2026-01-01T00:00:00Z'),
    notAfter: wish.notAfter ?? new Date('2036-01-01T00:00:00Z'),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: { name: signingKey.algorithm.name, hash: 'SHA-256' },
    extensions: [...extensionsOf(wish), ...(await keyIdentifiers(wish, keys.publicKey))],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate,
    pem: certificate.toString('pem'),
    derB64: Buffer.from(certificate.rawData).toString('base64'),
    privateKey: createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }),
    keys,
  };
}

async function keyIdentifiers(
  { ca, issuer, authorityKey = issuer, authorityCertificate }: Wish,
  publicKey: webcrypto.CryptoKey,
): Promise<x509.Extension[]> {
  const extensions: x509.Extension[] = [];
  if (ca === true) extensions.push(await x509.SubjectKeyIdentifierExtension.create(publicKey));
  if (authorityCertificate !== undefined) {
    const { issuer: value, serialNumber } = authorityCertificate.certificate;
    const name = new x509.GeneralNames([{ type: 'dn', value }]);
    extensions.push(new x509.AuthorityKeyIdentifierExtension({ name, serialNumber }));
  } else if (authorityKey !== undefined) {
    const { publicKey: key } = authorityKey.certificate;
    extensions.push(await x509.AuthorityKeyIdentifierExtension.create(key));
  }
  return extensions;
}

function extensionsOf(wish: Wish): x509.Extension[] {
  const { ca, policies, qcStatements } = wish;
  const usage = wish.usage ?? (ca === true ? 'CA' : null);
  const extensions: x509.Extension[] = [];
  if (ca !== undefined) {
    extensions.push(new x509.BasicConstraintsExtension(ca, wish.pathLength, true));
  }
  if (usage !== null) {
    extensions.push(new x509.KeyUsagesExtension(usages[usage], true));
  }
  if (policies !== undefined) {
    extensions.push(new x509.CertificatePolicyExtension([...policies]));
  }
  if (qcStatements !== undefined) extensions.push(qcExtension(qcStatements));
  if (wish.ocspUrl !== undefined) {
    extensions.push(new x509.AuthorityInfoAccessExtension({ ocsp: wish.ocspUrl }));
  }
  if (wish.crlUrl !== undefined)
    extensions.push(new x509.CRLDistributionPointsExtension([wish.crlUrl]));
  if (wish.purposes !== undefined) {
    extensions.push(new x509.ExtendedKeyUsageExtension([...wish.purposes]));
  }
  if (wish.criticalExtra === true) {
    extensions.push(new x509.Extension('1.3.6.1.4.1.55555.1', true, Buffer.of(5, 0)));
  }
  return extensions;
}

function qcExtension(statements: readonly string[]): x509.Extension {
  const encoded = statements.map((oid) => sequence(oidDer(oid)));
  return new x509.Extension('1.3.6.1.5.5.7.1.3', false, sequence(Buffer.concat(encoded)));
}

function sequence(content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

function oidDer(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest.flatMap(base128)];
  return Buffer.from([6, bytes.length, ...bytes]);
}

function base128(arc: number): number[] {
  const bytes = [arc & 0x7f];
  for (let left = arc >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

/** Signs as a phone does in an authentication. */
export function signChallenge(holder: Issued, challengeB64: string, key = holder): Buffer {
  const payload = buildAcspV2Payload(
    challengeB64,
    Buffer.from(holder.certificate.publicKey.rawData),
  );
  return createSign('sha256').update(payload).sign(key.privateKey);
}

/** Signs as a phone does in a signature: over the digest itself. */
export function signDigest(holder: Issued, digest: Buffer): Buffer {
  if (holder.privateKey.asymmetricKeyType === 'rsa') {
    return privateEncrypt(
      { key: holder.privateKey, padding: constants.RSA_PKCS1_PADDING },
      Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), digest]),
    );
  }
  const { d = '' } = holder.privateKey.export({ format: 'jwk' });
  return Buffer.from(
    p256.sign(digest, Buffer.from(d, 'base64url'), { prehash: false, lowS: false, format: 'der' }),
  );
}

/** A completed session as the client library flattens it. */
export function okResult(
  holder: Issued,
  signature: Buffer,
  changes: Partial<SessionResult> = {},
): SessionResult {
  return {
    state: 'COMPLETE',
    endResult: 'OK',
    progress: null,
    signatures: [],
    documentNumber: '7c3f0c7e-5f0a-4d36-9f6a-9d2f6e1f2a10',
    certificateDerB64: holder.derB64,
    certificateLevel: 'QUALIFIED' satisfies CertificateLevel,
    signatureValueB64: signature.toString('base64'),
    signatureAlgorithm:
      holder.privateKey.asymmetricKeyType === 'rsa'
        ? 'sha256WithRSAEncryption'
        : 'ecdsa-with-SHA256',
    interactionTypeUsed: 'displayTextAndPIN',
    signatureProtocol: null,
    signatureAlgorithmParameters: null,
    serverRandom: null,
    userChallenge: null,
    flowType: null,
    person: null,
    onBehalfOf: null,
    riskSignals: null,
    ...changes,
  };
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
