import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
} from 'node:crypto';
import { versioned, type WrappingKey } from './wrappingKeys.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
/** Nonce, key and tag. */
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/**
 * The keys derived from the derivation key, one per purpose, so that none is ever used for two things. They stay when the
 * master key is rotated.
 */
export interface MasterKeys {
  /** Fingerprints values to look them up by. */
  readonly blindIndex: KeyObject;
  /** Authenticates the secrets of identity verifications. */
  readonly verificationSecrets: KeyObject;
  /** Encrypts session ids into the tokens of device links. */
  readonly sessionTokens: KeyObject;
  /** Signs the cookies of the OpenID Connect provider. */
  readonly oidcCookies: KeyObject;
  /** Makes what a client knows a citizen by (OpenID Connect Core §8.1). */
  readonly pairwiseSubjects: KeyObject;
  /** Makes the nonces of DPoP proofs (RFC 9449 §8). */
  readonly dpopNonces: KeyObject;
  /** Ties an authentication to the login it was asked for. */
  readonly loginChallenges: KeyObject;
  /** Encrypts what a browser keeps of the login it has begun. */
  readonly loginTickets: KeyObject;
  /** Authenticates the check of a proxy. */
  readonly proxyChecks: KeyObject;
  /** Authenticates the manifests of backups. */
  readonly backups: KeyObject;
  /** Encrypts files of registers that wait to be imported. */
  readonly registerUploads: KeyObject;
  /** Tells the derivation key from others, and nothing about it; base64url of 16 bytes. */
  readonly fingerprint: string;
}

/** Derives the purpose keys with HKDF-SHA-256. @throws Error when the master key is not 32 bytes */
export function deriveMasterKeys(masterKey: Uint8Array): MasterKeys {
  if (masterKey.length !== KEY_BYTES) throw new Error('The master key must be 32 bytes.');
  const derive = (purpose: string) =>
    createSecretKey(
      Buffer.from(hkdfSync('sha256', masterKey, '', `tamga/${purpose}/v1`, KEY_BYTES)),
    );
  return {
    blindIndex: derive('blind-index'),
    verificationSecrets: derive('verification-secrets'),
    sessionTokens: derive('session-tokens'),
    oidcCookies: derive('oidc-cookies'),
    pairwiseSubjects: derive('oidc-pairwise-subjects'),
    dpopNonces: derive('oidc-dpop-nonces'),
    loginChallenges: derive('oidc-login-challenges'),
    loginTickets: derive('oidc-login-tickets'),
    proxyChecks: derive('proxy-checks'),
    backups: derive('backup-manifests'),
    registerUploads: derive('register-uploads'),
    fingerprint: derive('fingerprint').export().subarray(0, 16).toString('base64url'),
  };
}

/** A new random data key, raw 32 bytes. */
export function newDataKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Encrypts UTF-8 text; `context` must be repeated to open it. Returns base64 of nonce, ciphertext and tag. */
export function encryptText(key: KeyObject, context: Uint8Array, plaintext: string): string {
  const nonce = nextNonce();
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(context);
  const ciphertext = cipher.update(plaintext, 'utf8');
  cipher.final();
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('base64');
}

/** Reverses {@link encryptText}. @throws Error when key, context or bytes are not those it was encrypted with */
export function decryptText(key: KeyObject, context: Uint8Array, encrypted: string): string {
  const { cipher, ciphertext } = decipherOf(key, context, Buffer.from(encrypted, 'base64'));
  return cipher.update(ciphertext, undefined, 'utf8') + cipher.final('utf8');
}

/** Encrypts a key of 32 bytes, bound to the context. Returns raw 60 bytes. */
export function wrapBytes(wrapping: KeyObject, context: Uint8Array, key: Uint8Array): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv(CIPHER, wrapping, nonce).setAAD(context);
  const ciphertext = cipher.update(key);
  cipher.final();
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
}

/** Reverses {@link wrapBytes}. @throws Error when key, context or bytes are not those it was wrapped with */
export function unwrapBytes(wrapping: KeyObject, context: Uint8Array, wrapped: Buffer): Buffer {
  const { cipher, ciphertext } = decipherOf(wrapping, context, wrapped);
  return Buffer.concat([cipher.update(ciphertext), cipher.final()]);
}

/** Wraps a person's key, bound to the person: a version byte, without which it is of generation 0, and 60 bytes. */
export function wrapKey(wrapping: WrappingKey, subject: string, dataKey: Uint8Array): Buffer {
  const wrapped = wrapBytes(wrapping.persons, wrappingContext(subject), dataKey);
  return versioned(wrapping.generation, wrapped);
}

/** Generation of the master key that a person's key is wrapped under. */
export const generationOf = (wrapped: Buffer): number =>
  wrapped.length === WRAPPED_BYTES ? 0 : (wrapped[0] ?? 0);

/**
 * Reverses {@link wrapKey}.
 *
 * @param wrapping undefined: no master key of that generation was given
 * @throws Error when the master key is another one or the row was altered
 */
export function unwrapKey(
  wrapping: WrappingKey | undefined,
  subject: string,
  wrapped: Buffer,
): KeyObject {
  try {
    if (wrapping === undefined)
      throw new Error(`There is no master key of generation ${generationOf(wrapped)}.`);
    const bytes = wrapped.subarray(wrapping.generation === 0 ? 0 : 1);
    return createSecretKey(unwrapBytes(wrapping.persons, wrappingContext(subject), bytes));
  } catch (cause) {
    throw new Error(
      'A personal-data key cannot be unwrapped: SVC_SW_MASTER_KEY is not the master key it was wrapped with.',
      { cause },
    );
  }
}

/** HMAC-SHA-256 of a value for one purpose, lower-case hexadecimal. */
export function fingerprint(key: KeyObject, purpose: string, value: string): string {
  return createHmac('sha256', key).update(`${purpose}\0${value}`).digest('hex');
}

/** The associated data of everything encrypted for a subject. */
export function encryptionContext(subject: string): Buffer {
  return Buffer.from(`personal-data:${subject}`, 'utf8');
}

function decipherOf(key: KeyObject, context: Uint8Array, encrypted: Buffer) {
  const tagAt = encrypted.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) throw new Error('Encrypted data is too short.');
  const cipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(context).setAuthTag(encrypted.subarray(tagAt));
  return { cipher, ciphertext: encrypted.subarray(NONCE_BYTES, tagAt) };
}

function wrappingContext(subject: string): Buffer {
  return Buffer.from(`person-key:${subject}`, 'utf8');
}

// Drawing random bytes costs more than a short encryption, so nonces are drawn many at a time; each is used once.
const nonces = Buffer.alloc(NONCE_BYTES * 512);
let nonceAt = nonces.length;

function nextNonce(): Buffer {
  if (nonceAt === nonces.length) {
    randomFillSync(nonces);
    nonceAt = 0;
  }
  const nonce = nonces.subarray(nonceAt, nonceAt + NONCE_BYTES);
  nonceAt += NONCE_BYTES;
  return nonce;
}
