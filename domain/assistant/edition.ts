import { Refusal } from '../shared/refusal.ts';

/**
 * That an edit was made on the text as it is now.
 *
 * @param expected the version the editor saw; null: whatever is there is overwritten
 * @throws Refusal PRECONDITION_FAILED
 */
export function expectVersion(expected: number | null, version: number): void {
  if (expected === null || expected === version) return;
  throw new Refusal('PRECONDITION_FAILED', {
    detail: `Version ${version} is the newest. Read it and edit again.`,
  });
}
