import {
  constants,
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';
import { p256 } from '@noble/curves/nist.js';
import {
  acspV2Layout,
  type Call,
  codeOfHash,
  deviceProofLayout,
  enrolmentProofLayout,
} from './layouts.ts';
import { signPssDigest } from './rsaPss.ts';

export type KeyType = 'P-256' | 'RSA';

export interface KeyPair {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** PKCS#8, DER. */
  readonly privateKey: Buffer;
}

const generate = promisify(generateKeyPair);

export async function newKeyPair(keyType: KeyType): Promise<KeyPair> {
  const { publicKey, privateKey } =
    keyType === 'RSA'
      ? await generate('rsa', { modulusLength: 2048 })
      : await generate('ec', { namedCurve: 'prime256v1' });
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

export function importPrivateKey(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

/** Hash and padding of a signature; the padding applies to RSA keys only. */
export interface SignatureForm {
  /** Name of the hash in OpenSSL. */
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
 * Signs a digest. Node.js would hash it again, so P-256 uses a library, and RSA the padded block
 * built here. PKCS#1 derives the SHA-2 variant from the digest's length.
 *
 * @throws RangeError when no hash algorithm has the digest's length
 */
export function signDigest(key: KeyObject, digest: Buffer, form = plainForm): Buffer {
  const prefix = digestInfoPrefix[digest.length];
  if (prefix === undefined) throw new RangeError('The digest has the length of no supported hash.');
  if (key.asymmetricKeyType === 'rsa') {
    if (form.padding === 'pss') return signPssDigest(key, digest, form.hash);
    const block = Buffer.concat([Buffer.from(prefix, 'hex'), digest]);
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, block);
  }
  const scalar = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return Buffer.from(p256.sign(digest, scalar, { prehash: false, format: 'der' }));
}

/**
 * Verification code, computed from the data to be signed: challenge or digest, raw bytes.
 *
 * @param type `alphaNumeric5` has five digits, any other four
 */
export function verificationCode(challengeOrDigest: Uint8Array, type = 'alphaNumeric4'): string {
  return codeOfHash(createHash('sha256').update(challengeOrDigest).digest(), type);
}

/** See {@link acspV2Layout}. */
export function acspV2Payload(challenge: Uint8Array, publicKey: Uint8Array): Buffer {
  return Buffer.from(acspV2Layout(challenge, publicKey));
}

/** See {@link enrolmentProofLayout}. */
export function enrolmentProofPayload(token: string, name: string, publicKey: Uint8Array): Buffer {
  const tokenHash = createHash('sha256').update(token).digest();
  return Buffer.from(enrolmentProofLayout(tokenHash, name, publicKey));
}

/** `DPoP` header of a request; see {@link deviceProofLayout}. */
export function deviceProof(key: KeyObject, documentNumber: string, call: Call): string {
  const bodyHash = createHash('sha256').update(call.body).digest();
  const signed = deviceProofLayout(documentNumber, call, { bodyHash, nonce: randomBytes(16) });
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
