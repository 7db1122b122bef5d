import { type EndResult, endResults, type ValidationCode } from '../index.ts';

/**
 * Answers that say OK and must not be believed, by the code of the `ValidationError` they lead to. `PERSON_MISMATCH`:
 * somebody else answered, which the session passed to the validator shows. `REVOKED`: to `checkRevocation` alone.
 */
export type FakeFlaw = Extract<
  ValidationCode,
  | 'SIGNATURE_INVALID'
  | 'CHAIN_UNTRUSTED'
  | 'CERTIFICATE_NOT_VALID_NOW'
  | 'LEVEL_TOO_LOW'
  | 'PERSON_MISMATCH'
  | 'REVOKED'
>;

/** End of a session of the fake platform: an end result, or an answer that must not be believed. */
export type FakeOutcome = EndResult | FakeFlaw;

const flaws: Readonly<Record<FakeFlaw, true>> = {
  SIGNATURE_INVALID: true,
  CHAIN_UNTRUSTED: true,
  CERTIFICATE_NOT_VALID_NOW: true,
  LEVEL_TOO_LOW: true,
  PERSON_MISMATCH: true,
  REVOKED: true,
};

/** Every {@link FakeOutcome}: a suite that goes through them meets each. */
export const fakeOutcomes: readonly FakeOutcome[] = [
  ...endResults,
  ...(Object.keys(flaws) as FakeFlaw[]),
];

export function isFlaw(outcome: FakeOutcome): outcome is FakeFlaw {
  return Object.hasOwn(flaws, outcome);
}
