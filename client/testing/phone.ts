import { randomBytes, sign } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import {
  buildAcspV2Payload,
  buildNestedPayload,
  type FlowType,
  type SentRequest,
  userChallengeOf,
} from '../index.ts';
import { type Json, objectIn, textIn } from '../json.ts';
import type { Holder } from './authority.ts';

/** Request as a phone sees it. */
export interface Asked {
  readonly kind: 'AUTHENTICATION' | 'SIGNATURE';
  /** Body of the request that started the session. */
  readonly body: Json;
  readonly flowType: FlowType;
  readonly schemeName: string;
  readonly brokeredRpName: string;
}

/** Answer of a phone. */
export interface Signed {
  /** Fields of `signature` in the polled session. */
  readonly signature: Json;
  readonly interactionTypeUsed: string;
  /** Second-generation authentication: what the app brings to the callback; else empty. */
  readonly userChallengeVerifier: string;
}

const signatureAlgorithm = 'ecdsa-with-SHA256';

/** Least lengths of the contract (§3), bytes. */
const SERVER_RANDOM_BYTES = 18;
const VERIFIER_BYTES = 32;

/** Signs with the citizen's key, in the generation of the request. */
export function signAsPhone(holder: Holder, asked: Asked): Signed {
  const { body, kind, flowType } = asked;
  const nested = objectIn(body, 'signatureProtocolParameters');
  const interactionTypeUsed = firstInteraction(body);
  if (kind === 'SIGNATURE') {
    const digest = Buffer.from(textIn(nested ?? body, 'digest') ?? '', 'base64');
    const value = signDigest(holder, digest).toString('base64');
    const signature =
      nested === null
        ? { value, signatureAlgorithm: `ecdsa-with-${textIn(body, 'hashType') ?? 'SHA256'}` }
        : { value, signatureAlgorithm, flowType };
    return { signature, interactionTypeUsed, userChallengeVerifier: '' };
  }
  const rpChallenge = textIn(nested ?? body, 'rpChallenge') ?? '';
  if (nested === null) {
    const payload = buildAcspV2Payload(rpChallenge, holder.publicKey);
    const value = sign('sha256', payload, holder.privateKey).toString('base64');
    return {
      signature: { value, signatureAlgorithm },
      interactionTypeUsed,
      userChallengeVerifier: '',
    };
  }
  const userChallengeVerifier = randomBytes(VERIFIER_BYTES).toString('base64url');
  const fields = {
    serverRandom: randomBytes(SERVER_RANDOM_BYTES).toString('base64'),
    userChallenge: userChallengeOf(userChallengeVerifier),
    flowType,
  };
  const payload = buildNestedPayload(requestOf(asked, rpChallenge), {
    ...fields,
    interactionTypeUsed,
  });
  const value = sign('sha256', payload, holder.privateKey).toString('base64');
  return {
    signature: { value, signatureAlgorithm, ...fields },
    interactionTypeUsed,
    userChallengeVerifier,
  };
}

/** Parts of the request that the signed payload is made of. */
function requestOf({ body, schemeName, brokeredRpName }: Asked, rpChallenge: string): SentRequest {
  return {
    schemeName,
    brokeredRpName,
    signatureProtocol: 'ACSP_V2',
    flow: 'notification',
    challengeOrDigest: rpChallenge,
    relyingPartyName: textIn(body, 'relyingPartyName') ?? '',
    interactions: textIn(body, 'interactions') ?? '',
    initialCallbackUrl: textIn(body, 'initialCallbackUrl') ?? '',
    signatureAlgorithm: 'rsassa-pss',
    hashAlgorithm: 'SHA-512',
  };
}

/** Type of the first interaction offered; in the second generation they are base64 of JSON. */
function firstInteraction(request: Json): string {
  return textIn(firstOffered(request), 'type') ?? '';
}

/** Text of that interaction; null: none. */
export function firstText(request: Json): string | null {
  const first = firstOffered(request);
  return textIn(first, 'displayText60') ?? textIn(first, 'displayText200');
}

function firstOffered({ interactions }: Json): Json | null {
  const offered: unknown =
    typeof interactions === 'string'
      ? JSON.parse(Buffer.from(interactions, 'base64').toString('utf8'))
      : interactions;
  return Array.isArray(offered) ? ((offered as readonly Json[])[0] ?? null) : null;
}

/** Signs the digest itself: Node.js would hash it again. */
export function signDigest({ privateKey }: Holder, digest: Buffer): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const options = { prehash: false, format: 'der' } as const;
  return Buffer.from(p256.sign(digest, Buffer.from(d, 'base64url'), options));
}
