import { Refusal } from '../shared/refusal.ts';

/**
 * Checks that an edit is based on the current version.
 *
 * @param expected the version the editor saw; null: overwrite any
 * @throws Refusal PRECONDITION_FAILED
 */
export function expectVersion(expected: number | null, version: number): void {
  if (expected === null || expected === version) return;
  throw new Refusal('PRECONDITION_FAILED', {
    detail: `The newest version is ${version}. Read it and edit again.`,
  });
}
