import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { acspV2Payload, type SignatureForm, signDigest, signPayload } from './crypto.ts';
import { type NestedAuthentication, nestedLayout } from './layouts.ts';
import { contentOf, type FlowType, type NestedDetails } from './session.ts';

/** Of a session, what its signature depends on. */
export interface Signable {
  readonly kind: 'AUTHENTICATION' | 'SIGNATURE';
  readonly relyingPartyName: string;
  /** Base64. */
  readonly rpChallenge: string | null;
  /** Base64. */
  readonly digest: string | null;
  /** As OpenSSL names it. */
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

/** A P-256 key hashes payloads with SHA-256, whatever hash was asked for; an RSA key does as asked. */
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

/** A fresh secret of this phone's: its hash goes into the signature, itself only to where the citizen returns. */
export function newUserChallengeVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** base64url of the SHA-256 of the verifier's text. */
export function userChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
