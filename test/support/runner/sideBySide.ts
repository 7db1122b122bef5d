import { Worker } from 'node:worker_threads';
import { shareTestServer } from '../programs/postgres.ts';

// Hooks of a run in several processes, beside those of every run.

/** Mocha root fixture: the processes get one PostgreSQL server instead of one each. */
export async function mochaGlobalSetup(): Promise<void> {
  await shareTestServer();
}

/** ms; the longest file takes a third of it on a busy machine. */
const FILE_TIME_LIMIT = 900_000;

/** bytes; beyond it garbage is collected after a file: V8 lets it pile up to gigabytes while the machine has memory. */
const MEMORY_WITH_GARBAGE = 600 * 2 ** 20;

let guard: Worker | undefined;

/** Mocha root hooks, once a file: time limits of tests do not end a loop that never yields, so this ends the process. */
export const mochaHooks = {
  beforeAll(): void {
    const ending = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${FILE_TIME_LIMIT})`;
    guard = new Worker(ending, { eval: true });
    guard.unref();
  },
  async afterAll(): Promise<void> {
    await guard?.terminate();
    if (process.memoryUsage.rss() > MEMORY_WITH_GARBAGE) global.gc?.();
  },
};
