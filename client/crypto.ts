import { createHash, randomBytes } from 'node:crypto';
import {
  anyText,
  type Argument,
  bytes,
  challengeBytes,
  checkArguments,
  generation as generationName,
  objectWith,
  textOrBytes,
} from './arguments.ts';
import type { Generation, HashAlgorithm, SentRequest } from './types.ts';

const flatArguments: readonly Argument[] = [
  ['rpChallengeB64', anyText],
  ['spkiDER', bytes],
];
const nestedArguments: readonly Argument[] = [
  ['request', objectWith({ relyingPartyName: anyText, interactions: anyText })],
  ['answer', objectWith({})],
];
const codeArguments: readonly Argument[] = [
  ['challengeOrDigestB64', anyText],
  ['generation', generationName],
];

const nodeHash: Readonly<Record<HashAlgorithm, string>> = {
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
  'SHA3-256': 'sha3-256',
  'SHA3-384': 'sha3-384',
  'SHA3-512': 'sha3-512',
};

/** Digest of `data` (text as UTF-8), raw bytes. */
export function digestOf(data: Uint8Array | string, algorithm: HashAlgorithm): Buffer {
  return createHash(nodeHash[algorithm]).update(data).digest();
}

/** SHA-256 of `data` (text as UTF-8), base64. */
export function sha256Base64(data: Uint8Array | string): string {
  checkArguments('sha256Base64', [['data', textOrBytes]], [data]);
  return digestOf(data, 'SHA-256').toString('base64');
}

/** `bytes` random bytes, base64. The service accepts challenges of 32 to 64 bytes. */
export function randomChallenge(bytes = 64): string {
  checkArguments('randomChallenge', [['bytes', challengeBytes]], [bytes]);
  return randomBytes(bytes).toString('base64');
}

/**
 * Builds the signed payload of a first-generation authentication:
 * `LP("ACSP_V2") ‖ LP(rpChallenge) ‖ LP(SPKI)`, where LP(x) is a 4-byte big-endian length followed by x.
 *
 * @param rpChallengeB64 the challenge sent, base64
 * @param spkiDER SubjectPublicKeyInfo of the authentication certificate, DER
 */
export function buildAcspV2Payload(rpChallengeB64: string, spkiDER: Uint8Array): Buffer {
  checkArguments('buildAcspV2Payload', flatArguments, [rpChallengeB64, spkiDER]);
  return Buffer.concat([
    lengthPrefixed(Buffer.from('ACSP_V2', 'utf8')),
    lengthPrefixed(Buffer.from(rpChallengeB64, 'base64')),
    lengthPrefixed(spkiDER),
  ]);
}

/** Fields the phone adds to the payload of a second-generation authentication. */
export interface PayloadAnswer {
  /** Base64, as received. */
  readonly serverRandom: string;
  /** Base64url, as received. */
  readonly userChallenge: string;
  /** Interaction the citizen saw, as received. */
  readonly interactionTypeUsed: string;
  /** A `FlowType`, as received. */
  readonly flowType: string;
}

/**
 * Builds the signed payload of a second-generation authentication: eleven fields joined by `|`,
 * UTF-8 (contract §4).
 *
 * @param request as it was sent
 */
export function buildNestedPayload(request: SentRequest, answer: PayloadAnswer): Buffer {
  checkArguments('buildNestedPayload', nestedArguments, [request, answer]);
  return Buffer.from(
    [
      request.schemeName,
      'ACSP_V2',
      answer.serverRandom,
      request.challengeOrDigest,
      answer.userChallenge,
      base64(request.relyingPartyName),
      base64(request.brokeredRpName),
      sha256Base64(request.interactions),
      answer.interactionTypeUsed,
      request.initialCallbackUrl,
      answer.flowType,
    ].join('|'),
    'utf8',
  );
}

/** Base64 of `text` as UTF-8. */
export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/**
 * Verification code shown on both sides (contract §2): from SHA-256 over the challenge or digest,
 * the last two bytes as four digits, in the second generation the last four as five.
 *
 * @param challengeOrDigestB64 as sent, base64
 */
export function verificationCode(
  challengeOrDigestB64: string,
  generation: Generation = 'G1',
): string {
  checkArguments('verificationCode', codeArguments, [challengeOrDigestB64, generation]);
  const hash = digestOf(Buffer.from(challengeOrDigestB64, 'base64'), 'SHA-256');
  return generation === 'G1'
    ? String(hash.readUInt16BE(30) % 10_000).padStart(4, '0')
    : String(hash.readUInt32BE(28) % 100_000).padStart(5, '0');
}

function lengthPrefixed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Decodes base64 strictly; null when `text` is not canonical base64. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
