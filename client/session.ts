import { setTimeout as pause } from 'node:timers/promises';
import type { Http } from './http.ts';
import type { SessionResult } from './types.ts';
import { readSessionResult } from './wire.ts';

export interface WaitOptions {
  /** Give up waiting after this, ms; default 150000. */
  readonly maxWaitMs?: number;
  /** How long the service may hold one request, ms; default 30000. */
  readonly serverPollMs?: number;
}

export interface SessionApi {
  /** One long poll: returns as soon as the session completes, at the latest after `serverPollMs` (default 30000). */
  poll(sessionId: string, serverPollMs?: number): Promise<SessionResult>;
  /** Polls until COMPLETE; at the deadline returns the last RUNNING result. */
  waitForResult(sessionId: string, options?: WaitOptions): Promise<SessionResult>;
}

/** The network needs some time of its own on top of what the service holds a request for, ms. */
const HTTP_MARGIN_MS = 10_000;
/** A service that answers RUNNING at once (it is restarting) is not asked more often than this, ms. */
const LEAST_INTERVAL_MS = 500;

export function createSessionApi(http: Http): SessionApi {
  const poll: SessionApi['poll'] = async (sessionId, serverPollMs = 30_000) => {
    const wait = Math.max(0, Math.floor(serverPollMs));
    return readSessionResult(
      await http.call({
        method: 'GET',
        path: `/session/${encodeURIComponent(sessionId)}?timeoutMs=${wait}`,
        timeoutMs: wait + HTTP_MARGIN_MS,
      }),
    );
  };

  return {
    poll,
    async waitForResult(sessionId, { maxWaitMs = 150_000, serverPollMs = 30_000 } = {}) {
      const deadline = Date.now() + maxWaitMs;
      for (;;) {
        const asked = Date.now();
        const result = await poll(sessionId, Math.min(serverPollMs, Math.max(0, deadline - asked)));
        const left = deadline - Date.now();
        if (result.state === 'COMPLETE' || left <= 0) return result;
        const early = LEAST_INTERVAL_MS - (Date.now() - asked);
        if (early > 0) await pause(Math.min(early, left));
      }
    },
  };
}
