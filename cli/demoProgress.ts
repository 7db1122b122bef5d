import { formatError } from './formatError.ts';

/** Reports the demo's progress. */
export interface ProgressReport {
  step(text: string): void;
  say(text: string): void;
}

/**
 * Does one part of the demo. A failure is reported and the part left out: kept data may be in any state, and the
 * demo serves in all of them.
 *
 * @returns null when left out
 */
export async function orLeaveOut<Result>(
  { say }: ProgressReport,
  part: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    say(`  left out: ${part}. ${formatError(error)}`);
    return null;
  }
}
