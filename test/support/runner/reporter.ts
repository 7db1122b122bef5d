import { readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';
import { SHOWN_PAGES } from './shownPages.ts';

const { EVENT_TEST_FAIL } = Mocha.Runner.constants;

/**
 * The spec reporter, ending with the pages of failed tests, what failed, by file, and one plain line:
 * `N passed, N failed, N skipped`. With several processes Mocha hands over the events of a file once the file is done, so files do not mix.
 */
export default class PlainCountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const failed: string[] = [];
    rmSync(SHOWN_PAGES, { force: true });
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => failed.push(lineOf(test, error)));
    // Not when the run ends: Mocha says so once for every process that crashed.
    process.once('exit', () => {
      if (failed.length > 0) process.stdout.write(shownPages());
      for (const line of failed) process.stdout.write(`failed: ${line}\n`);
      const { passes, pending } = this.stats;
      process.stdout.write(`${passes} passed, ${failed.length} failed, ${pending} skipped\n`);
    });
  }
}

/** The file as `./tamga test` takes it, what failed there, and how. Mocha names the file of a process that crashed in the error. */
function lineOf(test: Mocha.Test, error: unknown): string {
  const { file: crashed, message } = error as { readonly file?: string; readonly message: string };
  const file = test.file ?? crashed;
  const source = file === undefined ? 'every file' : relative('dist', file).replace(/\.js$/, '.ts');
  return `${source}: ${test.fullTitle()}: ${message.split('\n')[0] ?? ''}`;
}

/** Pages that tests left when they failed; nothing where none had a page. */
function shownPages(): string {
  try {
    return readFileSync(SHOWN_PAGES, 'utf8');
  } catch {
    return '';
  }
}
