import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type {
  CitizenCertificateOrder,
  SealCertificateOrder,
  ServiceCertificateOrder,
} from '../../../application/ports/certificateAuthority.ts';
import { type KeyPair, keyAlgorithm } from '../../../apps/phone/crypto.ts';
import { newOddRsaKey } from './oddRsaKeys.ts';

export interface TestKey {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
}

export function ecKey(namedCurve: 'P-256' | 'P-384' = 'P-256'): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }) };
}

export function rsaKey(modulusLength = 2048, publicExponent = 65537): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent });
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }) };
}

/** Of an odd number of bits, which {@link rsaKey} would round down. */
export async function oddRsaKey(modulusLength: number): Promise<TestKey> {
  const privateKey = await newOddRsaKey(modulusLength);
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey };
}

/** {@link oddRsaKey} as a phone makes its keys. */
export async function oddRsaKeyPair(modulusLength: number): Promise<KeyPair> {
  const { privateKey, publicKey } = await oddRsaKey(modulusLength);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const { RSA } = keyAlgorithm;
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), RSA, true, ['sign']),
    publicKey: await crypto.subtle.importKey('spki', new Uint8Array(publicKey), RSA, true, [
      'verify',
    ]),
  };
}

/** A P-256 SubjectPublicKeyInfo with a compressed point. */
export function compressedKey(): Buffer {
  const { publicKey } = ecKey();
  const sign = 2 + ((publicKey.at(-1) ?? 0) & 1);
  const header = '3039301306072a8648ce3d020106082a8648ce3d030107032200';
  const x = publicKey.subarray(27, 59);
  return Buffer.concat([Buffer.from(header, 'hex'), Buffer.from([sign]), x]);
}

/** An RSA public key of exactly 4095 bits; nobody knows its factors. */
export function rsaPublicKey4095(): Buffer {
  const modulus = randomBytes(512);
  modulus[0] = ((modulus[0] ?? 0) & 0x7f) | 0x40;
  modulus[511] = (modulus[511] ?? 0) | 1;
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}

/** 16 bytes, first bit 0, lower-case hexadecimal. */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

const DAY_MS = 86_400_000;

/** An order for a week's certificate of one of the platform's services. */
export function serviceOrder(
  publicKey: Buffer,
  type: ServiceCertificateOrder['type'],
): ServiceCertificateOrder {
  const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000);
  return {
    type,
    authority: 'organization',
    commonName: 'Test Service',
    keyType: 'P-256',
    serial: newSerial(),
    publicKey,
    notBefore,
    notAfter: new Date(notBefore.getTime() + 7 * DAY_MS),
  };
}

/** An order for a three-year seal certificate of an organization. */
export function sealOrder(
  publicKey: Buffer,
  changes: Partial<SealCertificateOrder> = {},
): SealCertificateOrder {
  const { serial, notBefore, notAfter } = order(publicKey);
  return {
    type: 'SEAL',
    authority: 'organization',
    level: 'QUALIFIED',
    keyType: 'P-256',
    serial,
    publicKey,
    organization: { etsi: 'NTRMN-5123456', name: 'TAMGA TEST LLC' },
    notBefore,
    notAfter,
    ...changes,
  };
}

/** An order for a three-year certificate of Бат, Дорж's son. */
export function order(
  publicKey: Buffer,
  changes: Partial<CitizenCertificateOrder> = {},
): CitizenCertificateOrder {
  const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000);
  return {
    type: 'SIGN',
    authority: 'personal',
    level: 'QUALIFIED',
    keyType: 'P-256',
    serial: newSerial(),
    subject: { etsi: 'PNOMN-123456789012', givenName: 'Бат', surname: 'Дорж' },
    publicKey,
    notBefore,
    notAfter: new Date(notBefore.getTime() + 3 * 365 * DAY_MS),
    ...changes,
  };
}
