import { Worker } from 'node:worker_threads';
import { shareTestServer } from '../programs/postgres.ts';

// Hooks of a run in several processes, beside those of every run.

/** Mocha root fixture: the processes get one PostgreSQL server instead of one each. */
export async function mochaGlobalSetup(): Promise<void> {
  await shareTestServer();
}

/** ms; the longest file, that of the bench's scenarios, takes half of it on a busy machine. */
const FILE_TIME_LIMIT = 1_800_000;

let guard: Worker | undefined;

/** Mocha root hooks, called once a file. */
export const mochaHooks = {
  beforeAll(): void {
    // Time limits of tests do not end a loop that never yields; the guard does.
    const ending = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${FILE_TIME_LIMIT})`;
    guard = new Worker(ending, { eval: true });
    guard.unref();
  },
  async afterAll(): Promise<void> {
    await guard?.terminate();
  },
};
