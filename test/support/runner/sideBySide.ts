import { Worker } from 'node:worker_threads';
import { shareTestServer } from '../programs/postgres.ts';

// Hooks of a run in several processes, beside those of every run.

/** Mocha root fixture: the processes get one PostgreSQL server instead of one each. */
export async function mochaGlobalSetup(): Promise<void> {
  await shareTestServer();
}

/** ms; the longest file, that of the bench's scenarios, takes half of it on a busy machine. */
const FILE_TIME_LIMIT = 1_800_000;

/** bytes; garbage is collected after a test beyond it: V8 lets it pile up to gigabytes while the machine has memory. */
const MEMORY_WITH_GARBAGE = 600 * 2 ** 20;
/** bytes the process grows until garbage is collected again, as a collection takes a tenth of a second. */
const GROWTH_WITH_GARBAGE = 100 * 2 ** 20;

let guard: Worker | undefined;
/** bytes the process held at least since garbage was last collected. */
let least = Infinity;

/** Mocha root hooks; all but afterEach are called once a file. */
export const mochaHooks = {
  beforeAll(): void {
    // Time limits of tests do not end a loop that never yields; the guard does.
    const ending = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${FILE_TIME_LIMIT})`;
    guard = new Worker(ending, { eval: true });
    guard.unref();
  },
  afterEach(): void {
    const held = process.memoryUsage.rss();
    least = Math.min(least, held);
    if (held < Math.max(MEMORY_WITH_GARBAGE, least + GROWTH_WITH_GARBAGE)) return;
    global.gc?.();
    least = process.memoryUsage.rss();
  },
  async afterAll(): Promise<void> {
    await guard?.terminate();
  },
};
