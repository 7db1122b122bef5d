import { ranFiles, type RootHook } from './ranFiles.ts';

// Hooks of a run in several processes: what each may hold.

/** bytes a process of tests may hold; three of them, PostgreSQL and the programs that tests start fit in 4 GB. */
const MOST = 800 * 2 ** 20;

/** bytes; garbage is collected after a test beyond it: V8 lets it pile up to gigabytes while the machine has memory. */
const MEMORY_WITH_GARBAGE = 400 * 2 ** 20;
/** bytes the process grows until garbage is collected again, as a collection takes a tenth of a second. */
const GROWTH_WITH_GARBAGE = 80 * 2 ** 20;

/** bytes the process held at least since garbage was last collected. */
let least = Infinity;
let isReported = false;

/** ms; a test that takes long, and lets the event loop turn, must not pile garbage up until its end. */
const LOOKS_EVERY = 500;

function collectGarbage(): void {
  const held = process.memoryUsage.rss();
  least = Math.min(least, held);
  if (held < Math.max(MEMORY_WITH_GARBAGE, least + GROWTH_WITH_GARBAGE)) return;
  global.gc?.();
  least = process.memoryUsage.rss();
}

setInterval(collectGarbage, LOOKS_EVERY).unref();

/** Mocha root hooks; afterAll is called once a file. */
export const mochaHooks = {
  afterEach: collectGarbage,
  afterAll(this: RootHook): void {
    const held = process.resourceUsage().maxRSS * 1024;
    // Said at the file that went beyond it, not at each that follows in the same process.
    if (held <= MOST || isReported) return;
    isReported = true;
    const [most, allowed] = [held, MOST].map((bytes) => (bytes / 2 ** 20).toFixed());
    // No failure: when garbage is collected is the machine's to decide.
    process.stderr.write(
      `The process of ${ranFiles(this)} held ${most} MB; at most ${allowed} are for it. Give the file smaller inputs, or find what keeps them.\n`,
    );
  },
};
