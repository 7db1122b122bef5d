import { stopTestServer } from '../programs/postgres.ts';

/** Mocha root fixtures: whatever the run started, it stops. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestServer();
}

/** Mocha root hooks. */
export const mochaHooks = {
  beforeAll(): void {
    // `./tamga test` sets them for the processes of tests alone; programs that they start allocate as in production.
    delete process.env['MALLOC_ARENA_MAX'];
    delete process.env['MALLOC_MMAP_THRESHOLD_'];
    delete process.env['MALLOC_TRIM_THRESHOLD_'];
  },
};
