import { createHash, timingSafeEqual } from 'node:crypto';
import { ValidationError } from './errors.ts';
import type { DeviceLinkSession, SessionResult } from './types.ts';

/** What a returning browser must bring. */
export interface CallbackExpectation {
  /** The session the browser that returns was sent away with. */
  readonly session: DeviceLinkSession;
  /** Its result, polled: an authentication also proves that the phone that answered is the one that returned. */
  readonly result: SessionResult;
  /** The `state` put into the callback URL; omitted: not compared. */
  readonly state?: string;
}

/**
 * Checks the address a same-device flow returned to (contract §5): `state` is ours, `sessionSecretDigest` is that of the
 * session, and in an authentication `userChallengeVerifier` fits the `userChallenge` that was signed. The phones of the
 * first generation may bring only `state`.
 *
 * @param returned the address the browser asked for, or its query
 * @throws ValidationError CALLBACK_MISMATCH: another browser, or another session's answer
 */
export function checkCallback(
  returned: URL | URLSearchParams,
  expected: CallbackExpectation,
): void {
  const query = returned instanceof URL ? returned.searchParams : returned;
  const { session, result, state } = expected;
  expectEqual(query, 'state', state);
  const isNested = session.request !== undefined;
  if (isNested || query.has('sessionSecretDigest')) {
    expectEqual(query, 'sessionSecretDigest', sessionSecretDigest(session.sessionSecret));
  }
  if (session.request?.signatureProtocol !== 'ACSP_V2') return;
  const verifier = only(query, 'userChallengeVerifier');
  const { userChallenge } = result;
  if (userChallenge === null || !equal(userChallengeOf(verifier), userChallenge)) {
    throw mismatch('userChallengeVerifier');
  }
}

/** base64url(SHA-256(the decoded secret)): what a callback carries as `sessionSecretDigest`. */
export function sessionSecretDigest(sessionSecretB64: string): string {
  return createHash('sha256').update(Buffer.from(sessionSecretB64, 'base64')).digest('base64url');
}

/** base64url(SHA-256(verifier text)): the `userChallenge` a phone made of its verifier. */
export function userChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'utf8').digest('base64url');
}

function expectEqual(query: URLSearchParams, name: string, value: string | undefined): void {
  if (value !== undefined && !equal(only(query, name), value)) throw mismatch(name);
}

/** A parameter given twice could mean one thing here and another elsewhere. */
function only(query: URLSearchParams, name: string): string {
  const [value, ...others] = query.getAll(name);
  if (value === undefined || others.length > 0) throw mismatch(name);
  return value;
}

function equal(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function mismatch(name: string): ValidationError {
  return new ValidationError('CALLBACK_MISMATCH', `The callback's ${name} is not this session's.`);
}
