import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { acspV2Payload, type SignatureForm, signDigest, signPayload } from './crypto.ts';

/** How the session reached this phone; signed in a nested authentication. */
export type FlowType = 'Notification' | 'QR' | 'App2App' | 'Web2App';

/** What the service says about a nested (second-generation) session; texts exactly as the relying party sent them. */
export interface NestedDetails {
  readonly signatureAlgorithm: string;
  readonly scheme: string;
  /** Base64. */
  readonly serverRandom: string | null;
  /** Base64. */
  readonly interactionsAsSent: string | null;
  readonly initialCallbackUrl: string | null;
}

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

/** What the citizen authenticates with or signs, raw bytes; the verification code is made from it. */
export function contentOf({ rpChallenge, digest }: Pick<Signable, 'rpChallenge' | 'digest'>) {
  return Buffer.from(rpChallenge ?? digest ?? '', 'base64');
}

/**
 * Signs a session.
 *
 * @param publicKey SubjectPublicKeyInfo of the authentication key, DER
 */
export function signSession(key: KeyObject, publicKey: Buffer, session: Signable): Buffer {
  const form = formOf(key, session);
  if (session.kind === 'SIGNATURE') return signDigest(key, contentOf(session), form);
  const payload =
    session.nested === null
      ? acspV2Payload(contentOf(session), publicKey)
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

/** What is signed in a nested authentication: eleven text fields joined by `|`. No request names a broker. */
export function authenticationPayload(
  parts: NestedDetails &
    Pick<
      Signable,
      'rpChallenge' | 'relyingPartyName' | 'interactionTypeUsed' | 'flowType' | 'userChallenge'
    > & { readonly brokerName?: string },
): Buffer {
  const fields = [
    parts.scheme,
    'ACSP_V2',
    parts.serverRandom ?? '',
    parts.rpChallenge ?? '',
    parts.userChallenge,
    Buffer.from(parts.relyingPartyName).toString('base64'),
    Buffer.from(parts.brokerName ?? '').toString('base64'),
    createHash('sha256')
      .update(parts.interactionsAsSent ?? '')
      .digest('base64'),
    parts.interactionTypeUsed,
    parts.initialCallbackUrl ?? '',
    parts.flowType,
  ];
  return Buffer.from(fields.join('|'));
}

/** A fresh secret of this phone's: its hash goes into the signature, itself only to where the citizen returns. */
export function newUserChallengeVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** base64url of the SHA-256 of the verifier's text. */
export function userChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
