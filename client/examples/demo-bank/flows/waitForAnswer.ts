import type { EidClient, SessionResult } from '@tamga/client';

/** Longest request of the page, ms: below the timeouts of proxies in between. */
const HOLD_MS = 5000;

/** Polls the session once; while it is RUNNING the page asks again. */
export async function waitForAnswer(
  client: EidClient,
  sessionId: string,
  signal: AbortSignal,
): Promise<SessionResult> {
  // #region waitForAnswer
  return client.session.waitForResult(sessionId, { maxWaitMs: HOLD_MS, signal });
  // #endregion
}
