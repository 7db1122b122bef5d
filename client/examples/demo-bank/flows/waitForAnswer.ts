import type { EidClient, SessionResult } from '@tamga/client';

/** How long one request of the page may take, ms: shorter than whatever stands between would wait. */
const HOLD_MS = 5000;

/** The citizen's answer, or RUNNING: then the page asks again. */
export async function waitForAnswer(
  client: EidClient,
  sessionId: string,
  signal: AbortSignal,
): Promise<SessionResult> {
  // #region waitForAnswer
  return client.session.waitForResult(sessionId, { maxWaitMs: HOLD_MS, signal });
  // #endregion
}
