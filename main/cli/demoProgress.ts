import { appendFileSync, writeFileSync } from 'node:fs';
import { formatError } from './formatError.ts';
import { say } from './say.ts';

/** Reports the demo's progress. */
export interface ProgressReport {
  /** Begins a step. */
  step(text: string): void;
  /** Tells more of the step. */
  say(text: string): void;
  /** Names what is shown next. */
  show(part: string): void;
  /** Tells what was left out. */
  warn(text: string): void;
}

/** Report of every line. */
export const wholeReport: ProgressReport = {
  step: (text) => say(`• ${text}`),
  say,
  show: () => undefined,
  warn: say,
};

/**
 * Report of a line for each step, and of one for everything that is shown; the rest is written to a file.
 *
 * @param path of the file, written anew
 */
export function shortReport(path: string): ProgressReport {
  writeFileSync(path, '', { mode: 0o600 });
  const keep = (text: string) => appendFileSync(path, `${text}\n`);
  let shown = 0;
  return {
    step: (text) => {
      keep(`• ${text}`);
      if (shown === 0) say(`• ${text}`);
    },
    say: keep,
    show: (part) => {
      process.stdout.write(shown === 0 ? `• Shown: ${part}` : `, ${part}`);
      shown += 1;
    },
    warn: (text) => {
      keep(text);
      say(shown === 0 ? text : `\n${text}`);
    },
  };
}

/**
 * Does one part of the demo. A failure is reported and the part left out: kept data may be in any state, and the
 * demo serves in all of them.
 *
 * @returns null when left out
 */
export async function orLeaveOut<Result>(
  { warn }: Pick<ProgressReport, 'warn'>,
  part: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    warn(`  left out: ${part}. ${formatError(error)}`);
    return null;
  }
}
