import { buildNestedPayload, decodeBase64, type PayloadAnswer } from '../crypto.ts';
import { ValidationError } from '../errors.ts';
import type { SentRequest, SessionResult } from '../types.ts';

/** Least length of the service's random value, bytes (contract §3). */
const MIN_SERVER_RANDOM = 18;

const deviceLinkFlows: ReadonlySet<string> = new Set(['QR', 'App2App', 'Web2App']);

/**
 * Reads the fields of a second-generation authentication result.
 *
 * Each is validated by its own format before they are joined: a `|` in one would shift the fields
 * behind it.
 *
 * @returns null when one is missing or malformed, names an interaction that was not offered, or
 * another flow than was started: an answer to a push through a link means that an attacker led the
 * citizen there
 */
function readNestedAnswer(
  { serverRandom, userChallenge, flowType, interactionTypeUsed }: SessionResult,
  { interactions, flow }: SentRequest,
): PayloadAnswer | null {
  if (serverRandom === null || userChallenge === null) return null;
  if (flowType === null || interactionTypeUsed === null) return null;
  const random = decodeBase64(serverRandom);
  const wellFormed =
    random !== null &&
    random.length >= MIN_SERVER_RANDOM &&
    /^[A-Za-z0-9_-]{43}$/.test(userChallenge) &&
    (flow === 'notification' ? flowType === 'Notification' : deviceLinkFlows.has(flowType)) &&
    offeredTypes(interactions).includes(interactionTypeUsed);
  return wellFormed ? { serverRandom, userChallenge, flowType, interactionTypeUsed } : null;
}

function offeredTypes(interactions: string): readonly unknown[] {
  try {
    const offered: unknown = JSON.parse(Buffer.from(interactions, 'base64').toString('utf8'));
    return Array.isArray(offered)
      ? offered.map((interaction: { readonly type?: unknown } | null) => interaction?.type)
      : [];
  } catch {
    return [];
  }
}

/** Bytes that the signature of a second-generation authentication covers. @throws ValidationError RESPONSE_INCOMPLETE */
export function nestedPayload(result: SessionResult, request: SentRequest): Buffer {
  const answer = readNestedAnswer(result, request);
  if (answer === null) {
    throw new ValidationError(
      'RESPONSE_INCOMPLETE',
      'A field of the signed payload is missing, malformed, or not what was asked for.',
    );
  }
  return buildNestedPayload(request, answer);
}
