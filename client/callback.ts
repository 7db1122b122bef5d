import { createHash, timingSafeEqual } from 'node:crypto';
import {
  anyText,
  type Argument,
  type Check,
  checkArguments,
  objectWith,
  optional,
} from './arguments.ts';
import { ConfigurationError, ValidationError } from './errors.ts';
import type { DeviceLinkSession, SessionResult } from './types.ts';

const address: Check = (value, name) => {
  if (value instanceof URL || value instanceof URLSearchParams) return;
  throw new ConfigurationError(`${name} must be a URL or URLSearchParams.`);
};
const callbackArguments: readonly Argument[] = [
  ['returned', address],
  [
    'expected',
    objectWith({
      session: objectWith({ sessionSecret: anyText }),
      result: objectWith({}),
      state: optional(anyText),
    }),
  ],
];

/** Expected values of a same-device callback. */
export interface CallbackExpectation {
  /** Session that was started for the returning browser. */
  readonly session: DeviceLinkSession;
  /**
   * Polled result; in an authentication it also proves that the phone that answered is the one that
   * returned.
   */
  readonly result: SessionResult;
  /**
   * `state` of the callback URL. Required in the first generation, whose phones may bring nothing
   * else; omitted in the second: not compared.
   */
  readonly state?: string;
}

/**
 * Checks the address a same-device flow returned to (contract §5): `state` matches,
 * `sessionSecretDigest` is that of the session, and in an authentication `userChallengeVerifier`
 * fits the signed `userChallenge`. First-generation phones may bring only `state`.
 *
 * @param returned the address the browser requested, or its query
 * @throws ConfigurationError when an argument is not what it must be
 * @throws ValidationError CALLBACK_MISMATCH: another browser, or another session's answer;
 * INPUT_INVALID: the first generation without `state`
 */
export function checkCallback(
  returned: URL | URLSearchParams,
  expected: CallbackExpectation,
): void {
  checkArguments('checkCallback', callbackArguments, [returned, expected]);
  const query = returned instanceof URL ? returned.searchParams : returned;
  const { session, result, state } = expected;
  const isNested = session.request !== undefined;
  if (!isNested && (state === undefined || state === '')) {
    throw new ValidationError(
      'INPUT_INVALID',
      'Pass the state of the callback URL: nothing else ties a first-generation callback to its browser.',
    );
  }
  expectEqual(query, 'state', state);
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

/** base64url(SHA-256(the decoded secret)): the `sessionSecretDigest` of a callback. */
export function sessionSecretDigest(sessionSecretB64: string): string {
  checkArguments('sessionSecretDigest', [['sessionSecretB64', anyText]], [sessionSecretB64]);
  return createHash('sha256').update(Buffer.from(sessionSecretB64, 'base64')).digest('base64url');
}

/** base64url(SHA-256(verifier text)): the `userChallenge` of a verifier. */
export function userChallengeOf(verifier: string): string {
  checkArguments('userChallengeOf', [['verifier', anyText]], [verifier]);
  return createHash('sha256').update(verifier, 'utf8').digest('base64url');
}

function expectEqual(query: URLSearchParams, name: string, value: string | undefined): void {
  if (value !== undefined && !equal(only(query, name), value)) throw mismatch(name);
}

/**
 * Rejects a repeated parameter: other parsers may read another of its values (parameter pollution).
 */
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
