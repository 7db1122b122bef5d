import { base64url, type Bytes } from './bytes.ts';
import {
  type CryptoKey,
  type KeyType,
  randomBytes,
  sha256,
  signDigest,
  signPayload,
} from './crypto.ts';
import { acspV2Layout, type NestedAuthentication, nestedLayout } from './layouts.ts';
import { contentsOf, type PhoneRequest } from './session.ts';

/** Hash and padding of a signature; a P-256 key needs neither, and hashes with SHA-256. */
export interface SignatureForm {
  /** Name of the hash in OpenSSL. */
  readonly hash: string;
  readonly padding: 'pkcs1' | 'pss';
}

/** Data that is hashed before it is signed, or a digest that is signed as it is. */
export type Content = { readonly payload: Bytes } | { readonly digest: Bytes };

/** Signs with an RSA key in any form, which WebCrypto cannot. @param pkcs8 private key, DER */
export type SignRsa = (pkcs8: Uint8Array, content: Content, form: SignatureForm) => Bytes;

/** An unlocked private key. */
export interface Unlocked {
  readonly keyType: KeyType;
  /** Returns a key that signs and cannot be exported. */
  key(): Promise<CryptoKey>;
  /**
   * Lends the key as PKCS#8, for operations missing in WebCrypto; the bytes are overwritten when
   * `sign` has returned, and what it promised is there.
   */
  bytes<Result>(sign: (pkcs8: Bytes) => Result): Promise<Result>;
  readonly signRsa?: SignRsa;
}

/** Signs with an unlocked key of any type. */
export async function sign(
  unlocked: Unlocked,
  content: Content,
  form: SignatureForm = { hash: 'SHA256', padding: 'pkcs1' },
): Promise<Bytes> {
  const { keyType, signRsa } = unlocked;
  if (keyType === 'RSA') {
    if (signRsa === undefined) throw new Error('This phone cannot sign with RSA keys.');
    return unlocked.bytes((pkcs8) => signRsa(pkcs8, content, form));
  }
  return 'digest' in content
    ? unlocked.bytes((pkcs8) => signDigest(pkcs8, content.digest))
    : signPayload(await unlocked.key(), content.payload);
}

/**
 * Signs a session: an authentication's payload, a signature's digest, each digest of a batch.
 *
 * @param publicKey SubjectPublicKeyInfo of the authentication key, DER
 */
export async function signSession(
  unlocked: Unlocked,
  publicKey: Uint8Array,
  request: PhoneRequest & { readonly userChallenge: string },
): Promise<readonly Bytes[]> {
  const { kind, hashType, nested, documents = [] } = request;
  const padding = nested?.signatureAlgorithm === 'rsassa-pss' ? 'pss' : 'pkcs1';
  const signatures: Bytes[] = [];
  for (const [index, content] of contentsOf(request).entries()) {
    const signed =
      kind === 'SIGNATURE'
        ? { digest: content }
        : { payload: await authenticationPayload(request, content, publicKey) };
    const hash = documents[index]?.hashType ?? hashType ?? 'SHA256';
    signatures.push(await sign(unlocked, signed, { hash, padding }));
  }
  return signatures;
}

function authenticationPayload(
  request: PhoneRequest & { readonly userChallenge: string },
  challenge: Bytes,
  publicKey: Uint8Array,
): Promise<Bytes> | Bytes {
  const { nested, interaction } = request;
  if (nested === null) return acspV2Layout(challenge, publicKey);
  return nestedPayload({ ...request, ...nested, interactionTypeUsed: interaction?.type ?? '' });
}

/** See {@link nestedLayout}. */
export async function nestedPayload(parts: NestedAuthentication): Promise<Bytes> {
  return nestedLayout(parts, await sha256(parts.interactionsAsSent ?? ''));
}

/**
 * Generates a secret of this phone: its hash is signed, the secret itself is only sent in the
 * callback.
 */
export function newUserChallengeVerifier(): string {
  return base64url(randomBytes(32));
}

/** base64url of the SHA-256 of the verifier's text. */
export async function userChallengeOf(verifier: string): Promise<string> {
  return base64url(await sha256(verifier));
}
