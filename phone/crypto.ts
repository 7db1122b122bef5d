import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';
import { p256 } from '@noble/curves/nist.js';
import { newOddRsaKey } from './oddRsaKeys.ts';
import { signPssDigest } from './rsaPss.ts';

export type KeyType = 'P-256' | 'RSA';

export interface KeyPair {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** PKCS#8, DER. */
  readonly privateKey: Buffer;
}

const generate = promisify(generateKeyPair);

/** @param rsaBits of an RSA key; 2048 to 4096, any number */
export async function newKeyPair(keyType: KeyType, rsaBits = 2048): Promise<KeyPair> {
  const privateKey =
    keyType === 'RSA'
      ? await newRsaKey(rsaBits)
      : (await generate('ec', { namedCurve: 'prime256v1' })).privateKey;
  return {
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

async function newRsaKey(bits: number): Promise<KeyObject> {
  if (bits % 2 === 1) return newOddRsaKey(bits);
  return (await generate('rsa', { modulusLength: bits })).privateKey;
}

export function importPrivateKey(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

/** How a signature is made; the padding matters to RSA keys alone. */
export interface SignatureForm {
  /** As OpenSSL names it. */
  readonly hash: string;
  readonly padding: 'pkcs1' | 'pss';
}

const plainForm: SignatureForm = { hash: 'SHA256', padding: 'pkcs1' };

/** Hashes and signs `payload`: ECDSA as a DER sequence, RSASSA-PKCS1-v1_5, or RSASSA-PSS with a salt of the hash's length. */
export function signPayload(
  key: KeyObject,
  payload: Uint8Array,
  { hash, padding }: SignatureForm = plainForm,
): Buffer {
  if (key.asymmetricKeyType === 'ec' || padding === 'pkcs1') return sign(hash, payload, key);
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return sign(hash, payload, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}

/** DER prefixes of DigestInfo (RFC 8017 §9.2 note 1) by digest length in bytes. */
const digestInfoPrefix: Readonly<Record<number, string>> = {
  32: '3031300d060960864801650304020105000420',
  48: '3041300d060960864801650304020205000430',
  64: '3051300d060960864801650304020305000440',
};

/**
 * Signs the digest as it is. Node would hash again, so P-256 goes another way; for RSA the padded block is put together
 * here. PKCS#1 knows the SHA-2 of the digest by its length.
 *
 * @throws RangeError when the digest has a length no hash algorithm has
 */
export function signDigest(key: KeyObject, digest: Buffer, form = plainForm): Buffer {
  const prefix = digestInfoPrefix[digest.length];
  if (prefix === undefined) throw new RangeError('The digest has an unusable length.');
  if (key.asymmetricKeyType === 'rsa') {
    if (form.padding === 'pss') return signPssDigest(key, digest, form.hash);
    const block = Buffer.concat([Buffer.from(prefix, 'hex'), digest]);
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, block);
  }
  const scalar = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return Buffer.from(p256.sign(digest, scalar, { prehash: false, format: 'der' }));
}

/**
 * The code the citizen compares, computed from what is about to be signed: challenge or digest, raw bytes.
 *
 * @param type `alphaNumeric5` has five digits, any other four
 */
export function verificationCode(challengeOrDigest: Uint8Array, type = 'alphaNumeric4'): string {
  const hash = createHash('sha256').update(challengeOrDigest).digest();
  return type === 'alphaNumeric5'
    ? String(hash.readUInt32BE(28) % 100_000).padStart(5, '0')
    : String(hash.readUInt16BE(30) % 10_000).padStart(4, '0');
}

/** What is signed in an authentication: `LP("ACSP_V2") ‖ LP(rpChallenge) ‖ LP(SPKI)`. */
export function acspV2Payload(challenge: Uint8Array, publicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('ACSP_V2'), challenge, publicKey].map(lengthPrefixed));
}

/** What proves possession of a key at enrolment: `LP("TAMGA_ENROL_V1") ‖ LP(SHA-256(token)) ‖ LP(name) ‖ LP(SPKI)`. */
export function enrolmentProofPayload(token: string, name: string, publicKey: Uint8Array): Buffer {
  const tokenHash = createHash('sha256').update(token).digest();
  return Buffer.concat(
    [Buffer.from('TAMGA_ENROL_V1'), tokenHash, Buffer.from(name), publicKey].map(lengthPrefixed),
  );
}

function lengthPrefixed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

export interface Call {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Exactly the bytes sent. */
  readonly body: string | Uint8Array;
  readonly time: Date;
}

/** The `DPoP` header of one call: a compact JWS (ES256) over method, path, body, time and a fresh nonce. */
export function deviceProof(key: KeyObject, documentNumber: string, call: Call): string {
  const header = segment({ typ: 'dpop+jwt', alg: 'ES256', kid: documentNumber });
  const claims = segment({
    htm: call.method,
    path: call.path,
    iat: Math.floor(call.time.getTime() / 1000),
    jti: randomBytes(16).toString('base64url'),
    bh: createHash('sha256').update(call.body).digest('base64url'),
  });
  const signed = `${header}.${claims}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function segment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
