import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { acspV2Payload, type SignatureForm, signDigest, signPayload } from './crypto.ts';
import { type NestedAuthentication, nestedLayout } from './layouts.ts';
import { contentOf, type FlowType, type NestedDetails } from './session.ts';

/** Fields of a session that determine its signature. */
export interface Signable {
  readonly kind: 'AUTHENTICATION' | 'SIGNATURE';
  readonly relyingPartyName: string;
  /** Base64. */
  readonly rpChallenge: string | null;
  /** Base64. */
  readonly digest: string | null;
  /** Name of the hash in OpenSSL. */
  readonly hashType: string | null;
  readonly nested: NestedDetails | null;
  readonly interactionTypeUsed: string;
  readonly flowType: FlowType;
  readonly userChallenge: string;
}

/**
 * Signs a session.
 *
 * @param publicKey SubjectPublicKeyInfo of the authentication key, DER
 */
export function signSession(key: KeyObject, publicKey: Buffer, session: Signable): Buffer {
  const form = formOf(key, session);
  const content = Buffer.from(contentOf(session), 'base64');
  if (session.kind === 'SIGNATURE') return signDigest(key, content, form);
  const payload =
    session.nested === null
      ? acspV2Payload(content, publicKey)
      : authenticationPayload({ ...session, ...session.nested });
  return signPayload(key, payload, form);
}

/**
 * Hash and padding: a P-256 key hashes payloads with SHA-256, whatever was requested; an RSA key as
 * requested.
 */
function formOf(key: KeyObject, { kind, hashType, nested }: Signable): SignatureForm {
  const isEcPayload = key.asymmetricKeyType === 'ec' && kind === 'AUTHENTICATION';
  return {
    hash: isEcPayload ? 'SHA256' : (hashType ?? 'SHA256'),
    padding: nested?.signatureAlgorithm === 'rsassa-pss' ? 'pss' : 'pkcs1',
  };
}

/** See {@link nestedLayout}. */
export function authenticationPayload(parts: NestedAuthentication): Buffer {
  const { interactionsAsSent } = parts;
  const interactionsHash = createHash('sha256')
    .update(interactionsAsSent ?? '')
    .digest();
  return Buffer.from(nestedLayout(parts, interactionsHash));
}

/**
 * Generates a secret of this phone: its hash is signed, the secret itself is only sent in the
 * callback.
 */
export function newUserChallengeVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** base64url of the SHA-256 of the verifier's text. */
export function userChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
