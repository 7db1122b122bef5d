import { setTimeout as pause } from 'node:timers/promises';
import { pauseAfter } from './backOff.ts';
import type { Http } from './http.ts';
import { type FollowOptions, followSession } from './sessionEvents.ts';
import type { CallOptions, SessionResult } from './types.ts';
import { readSessionResult } from './wire.ts';

/** Options of waiting for a result. */
export interface WaitOptions extends CallOptions {
  /** Total timeout, ms; default 150000. */
  readonly maxWaitMs?: number;
  /** Long-poll timeout of one request at the service, ms; default 30000. */
  readonly serverPollMs?: number;
}

/**
 * Reads sessions (specification, Session and stamp). A session is readable for ten minutes from its
 * creation.
 */
export interface SessionApi {
  /**
   * Polls once: resolves as soon as the session completes, at the latest after `serverPollMs` (ms,
   * default 30000). Rejects with an ApiError 404 `SESSION_NOT_FOUND` when it is unknown,
   * another relying party's, or expired.
   */
  poll(sessionId: string, serverPollMs?: number, options?: CallOptions): Promise<SessionResult>;
  /**
   * Polls until COMPLETE; at the deadline returns the last RUNNING result. Lost connections and
   * 429, 502, 503 and 504 are retried with growing pauses until the deadline; when no poll
   * succeeded, rejects with the last error.
   */
  waitForResult(sessionId: string, options?: WaitOptions): Promise<SessionResult>;
  /**
   * Takes a session back: the phone can answer it no more, and polls resolve with `CANCELLED_BY_RP`. Resolves with the
   * session as it ended: with the citizen's answer when that came first. Rejects as {@link SessionApi.poll}.
   */
  cancel(sessionId: string, options?: CallOptions): Promise<SessionResult>;
  /**
   * Waits like {@link SessionApi.waitForResult}, over one connection of server-sent events, and tells of each change.
   * Returns the outcome, at the deadline the last RUNNING result. Lost connections are taken up again; when there is no
   * stream to be had (503, or two failures in a row) it polls.
   */
  follow(sessionId: string, options?: FollowOptions): Promise<SessionResult>;
}

/** Time for the network on top of the long-poll timeout, ms. */
const HTTP_MARGIN_MS = 10_000;
/** Least interval between polls, ms: a service that is restarting answers RUNNING at once. */
const MIN_INTERVAL_MS = 500;

export function createSessionApi(http: Http): SessionApi {
  const poll: SessionApi['poll'] = async (sessionId, serverPollMs = 30_000, { signal } = {}) => {
    const wait = Math.max(0, Math.floor(serverPollMs));
    return readSessionResult(
      await http.json({
        method: 'GET',
        route: '/session/{sessionId}',
        params: { sessionId },
        query: { timeoutMs: wait },
        timeoutMs: wait + HTTP_MARGIN_MS,
        signal,
      }),
    );
  };

  const cancel: SessionApi['cancel'] = async (sessionId, { signal } = {}) =>
    readSessionResult(
      await http.json({
        method: 'DELETE',
        route: '/session/{sessionId}',
        params: { sessionId },
        signal,
      }),
    );

  async function waitForResult(sessionId: string, options: WaitOptions = {}) {
    const { maxWaitMs = 150_000, serverPollMs = 30_000, signal } = options;
    const deadline = Date.now() + maxWaitMs;
    let last: SessionResult | null = null;
    for (let failures = 0; ;) {
      const asked = Date.now();
      let rest: number;
      try {
        last = await poll(sessionId, Math.min(serverPollMs, Math.max(0, deadline - asked)), {
          signal,
        });
        if (last.state === 'COMPLETE') return last;
        failures = 0;
        rest = MIN_INTERVAL_MS - (Date.now() - asked);
      } catch (error) {
        rest = pauseAfter(error, failures);
        failures += 1;
        if (Date.now() + rest >= deadline && last === null) throw error;
      }
      const left = deadline - Date.now();
      if (last !== null && left <= 0) return last;
      if (rest > 0) await pauseUnlessAborted(Math.min(rest, left), signal);
    }
  }

  const follow: SessionApi['follow'] = (sessionId, options) =>
    followSession({ http, poll }, sessionId, options);

  return { poll, waitForResult, follow, cancel };
}

/** Pauses; rejects with the signal's own reason, like every call. */
async function pauseUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
