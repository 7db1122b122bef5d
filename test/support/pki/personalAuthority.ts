import 'reflect-metadata';
import { createPrivateKey, type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { certificatePem } from '../../../infrastructure/pki/trustFiles.ts';

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const HOUR_MS = 3_600_000;

/** Subject of the certificate, and its deviations. */
export interface LeafOptions {
  /** The subject's serialNumber; as many as are given. */
  readonly serialNumbers: readonly string[];
  readonly givenName?: string;
  readonly surname?: string;
  readonly usage?: x509.KeyUsageFlags;
  readonly purposes?: readonly string[];
  /** Hours from now on. */
  readonly from?: number;
  readonly to?: number;
  readonly keyType?: 'P-256' | 'RSA';
  /** Address of the OCSP responder. */
  readonly responder?: string;
}

export interface Leaf {
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly files: { readonly certificate: string; readonly key: string };
}

/** A certification authority for people, as another country's or company's would be: a root and an issuing CA. */
export async function createPersonalAuthority(name = 'Other Authority') {
  x509.cryptoProvider.set(webcrypto);
  const times = (from = -1, to = 24) => ({
    notBefore: new Date(Date.now() + from * HOUR_MS),
    notAfter: new Date(Date.now() + to * HOUR_MS),
  });
  const rootKeys = await newKeys(P256);
  const issuingKeys = await newKeys(P256);
  const ca = (pathLength?: number) => [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
  ];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...times(),
    signingAlgorithm: P256,
    name: `CN=${name} Root`,
    keys: rootKeys,
    extensions: ca(1),
  });
  const issuing = await x509.X509CertificateGenerator.create({
    ...times(),
    signingAlgorithm: P256,
    subject: `CN=${name} Issuing CA`,
    issuer: root.subject,
    publicKey: issuingKeys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: ca(0),
  });

  async function issue(
    extensions: x509.Extension[],
    subject: x509.JsonName,
    { keyType = 'P-256', from, to }: Pick<LeafOptions, 'keyType' | 'from' | 'to'>,
  ): Promise<Leaf> {
    const keys = await newKeys(keyType === 'RSA' ? RSA : P256);
    const serial = randomBytes(16);
    serial[0] = 0x40;
    const certificate = await x509.X509CertificateGenerator.create({
      ...times(from, to),
      signingAlgorithm: P256,
      serialNumber: serial.toString('hex'),
      subject,
      issuer: issuing.subject,
      publicKey: keys.publicKey,
      signingKey: issuingKeys.privateKey,
      extensions: [...extensions, await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)],
    });
    const privateKey = await privateKeyOf(keys);
    const der = Buffer.from(certificate.rawData);
    return {
      certificate: der,
      privateKey,
      files: {
        certificate: certificatePem(der),
        key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      },
    };
  }

  return {
    root: Buffer.from(root.rawData),
    issuing: Buffer.from(issuing.rawData),
    /** A person's certificate, good for signing unless the options say otherwise. */
    person: ({
      serialNumbers,
      givenName = 'Bold',
      surname,
      purposes = [],
      responder,
      ...rest
    }: LeafOptions) =>
      issue(
        [
          new x509.KeyUsagesExtension(rest.usage ?? x509.KeyUsageFlags.nonRepudiation, true),
          ...(purposes.length > 0 ? [new x509.ExtendedKeyUsageExtension([...purposes])] : []),
          ...(responder === undefined
            ? []
            : [new x509.AuthorityInfoAccessExtension({ ocsp: [responder] })]),
        ],
        [
          { CN: [givenName] },
          { '2.5.4.42': [givenName] },
          ...(surname === undefined ? [] : [{ '2.5.4.4': [surname] }]),
          ...serialNumbers.map((number) => ({ '2.5.4.5': [number] })),
        ],
        rest,
      ),
    /** Somebody who answers OCSP for the issuing CA. */
    responder: () =>
      issue(
        [
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.9']),
        ],
        [{ CN: [`${name} Responder`] }],
        {},
      ),
  };
}

export type PersonalAuthority = Awaited<ReturnType<typeof createPersonalAuthority>>;

type Keys = Awaited<ReturnType<typeof newKeys>>;

function newKeys(algorithm: typeof P256 | typeof RSA) {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function privateKeyOf({ privateKey }: Keys): Promise<KeyObject> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
