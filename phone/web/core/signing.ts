import { p256 } from '@noble/curves/nist.js';
import { base64url, type Bytes, fromBase64, utf8 } from '../../bytes.ts';
import { acspV2Layout, type Call, deviceProofLayout, nestedLayout } from '../../layouts.ts';
import { contentOf, type PhoneRequest } from '../../session.ts';
import type { Unlocked } from './pinKeys.ts';

const ecdsaSha256 = { name: 'ECDSA', hash: 'SHA-256' } as const;

export async function sha256(content: string | Uint8Array): Promise<Bytes> {
  const bytes = typeof content === 'string' ? utf8(content) : new Uint8Array(content);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** Hashes with SHA-256 and signs; a DER sequence. */
export async function signPayload(key: CryptoKey, payload: Bytes): Promise<Bytes> {
  const joined = new Uint8Array(await crypto.subtle.sign(ecdsaSha256, key, payload));
  const signature = p256.Signature.fromBytes(joined, 'compact');
  return new Uint8Array(signature.toBytes('der'));
}

/** Proof of a request to the device API; see {@link deviceProofLayout}. */
export async function deviceProof(
  key: CryptoKey,
  documentNumber: string,
  call: Call,
): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(16));
  const bodyHash = await sha256(call.body);
  const signed = deviceProofLayout(documentNumber, call, { bodyHash, nonce });
  const signature = await crypto.subtle.sign(ecdsaSha256, key, utf8(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

/**
 * Signs a session with the unlocked key: an authentication's payload by WebCrypto, a signature's
 * digest without further hashing.
 *
 * @param publicKey SubjectPublicKeyInfo of the authentication key, DER
 */
export async function signSession(
  unlocked: Unlocked,
  publicKey: Uint8Array,
  request: PhoneRequest & { readonly userChallenge: string },
): Promise<Bytes> {
  const content = fromBase64(contentOf(request));
  // WebCrypto would hash the digest again.
  if (request.kind === 'SIGNATURE') {
    return unlocked.bytes((pkcs8) => signDigest(pkcs8, content));
  }
  return signPayload(await unlocked.key(), await payloadOf(request, content, publicKey));
}

async function payloadOf(
  request: PhoneRequest & { readonly userChallenge: string },
  challenge: Bytes,
  publicKey: Uint8Array,
): Promise<Bytes> {
  const { nested, interaction } = request;
  if (nested === null) return acspV2Layout(challenge, publicKey);
  const interactionsHash = await sha256(nested.interactionsAsSent ?? '');
  const interactionTypeUsed = interaction?.type ?? '';
  return nestedLayout({ ...request, ...nested, interactionTypeUsed }, interactionsHash);
}

/** Signs a digest with ECDSA, DER. @param pkcs8 of a P-256 key, as exported by WebCrypto */
function signDigest(pkcs8: Uint8Array, digest: Uint8Array): Bytes {
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
