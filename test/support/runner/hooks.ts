import { stopTestServer } from '../programs/postgres.ts';

/** Mocha root fixtures: whatever the run started, it stops. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestServer();
}
