import { p256 } from '@noble/curves/nist.js';
import { base64url, type Bytes, utf8 } from './bytes.ts';
import { type Call, codeOfHash, deviceProofLayout } from './layouts.ts';

// Cryptography of all phones, by WebCrypto: it is in browsers and in Node.js.

export type KeyType = 'P-256' | 'RSA';

/** A key of WebCrypto: the types of Node.js know it as a value only. */
export type CryptoKey = InstanceType<typeof globalThis.CryptoKey>;

export interface KeyPair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

const ecdsaSha256 = { name: 'ECDSA', hash: 'SHA-256' } as const;
const rsaSha256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** Keys of each type, as WebCrypto makes and imports them; an RSA key so signs with SHA-256 and PKCS#1. */
export const keyAlgorithm = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256' },
  RSA: { ...rsaSha256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
} as const satisfies Record<KeyType, object>;

/** Generates a key pair; only a private key to be written down may be `extractable`. */
export function newKeyPair(keyType: KeyType, extractable: boolean): Promise<KeyPair> {
  return crypto.subtle.generateKey(keyAlgorithm[keyType], extractable, ['sign', 'verify']);
}

/** Exports the public key as SubjectPublicKeyInfo, DER. */
export async function publicKeyOf({ publicKey }: Pick<KeyPair, 'publicKey'>): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

export async function sha256(content: string | Uint8Array): Promise<Bytes> {
  const bytes = typeof content === 'string' ? utf8(content) : new Uint8Array(content);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** Hashes with SHA-256 and signs: ECDSA as a DER sequence, or RSASSA-PKCS1-v1_5. */
export async function signPayload(key: CryptoKey, payload: Bytes): Promise<Bytes> {
  if (key.algorithm.name === rsaSha256.name) {
    return new Uint8Array(await crypto.subtle.sign(rsaSha256, key, payload));
  }
  const joined = new Uint8Array(await crypto.subtle.sign(ecdsaSha256, key, payload));
  return new Uint8Array(p256.Signature.fromBytes(joined, 'compact').toBytes('der'));
}

/**
 * Signs a digest with ECDSA, DER: WebCrypto would hash it again.
 *
 * @param pkcs8 of a P-256 key, as exported by WebCrypto
 */
export function signDigest(pkcs8: Uint8Array, digest: Uint8Array): Bytes {
  const scalar = scalarOf(pkcs8);
  try {
    return new Uint8Array(p256.sign(digest, scalar, { prehash: false, format: 'der' }));
  } finally {
    scalar.fill(0);
  }
}

/** Start of an ECPrivateKey (RFC 5915): version 1, then an OCTET STRING of 32 bytes. */
const beforeScalar = [0x02, 0x01, 0x01, 0x04, 0x20];

function scalarOf(pkcs8: Uint8Array): Uint8Array {
  const start = pkcs8.findIndex((_, at) =>
    beforeScalar.every((byte, index) => pkcs8[at + index] === byte),
  );
  if (start < 0) throw new Error('The private key is not a P-256 key in PKCS#8.');
  const from = start + beforeScalar.length;
  return pkcs8.slice(from, from + 32);
}

/**
 * Verification code, computed from the data to be signed: challenge or digest, raw bytes.
 *
 * @param type `alphaNumeric5` has five digits, any other four
 */
export async function verificationCode(
  challengeOrDigest: Uint8Array,
  type = 'alphaNumeric4',
): Promise<string> {
  return codeOfHash(await sha256(challengeOrDigest), type);
}

/** `DPoP` header of a request; see {@link deviceProofLayout}. */
export async function deviceProof(
  key: CryptoKey,
  documentNumber: string,
  call: Call,
): Promise<string> {
  const fresh = { bodyHash: await sha256(call.body), nonce: randomBytes(16) };
  const signed = deviceProofLayout(documentNumber, call, fresh);
  const signature = await crypto.subtle.sign(ecdsaSha256, key, utf8(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}
