import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, NetworkError } from './errors.ts';
import type { Http } from './http.ts';
import type { CallOptions, SessionResult } from './types.ts';
import { readSessionResult } from './wire.ts';

/** How long to wait for a result. */
export interface WaitOptions extends CallOptions {
  /** Give up waiting after this, ms; default 150000. */
  readonly maxWaitMs?: number;
  /** How long the service may hold one request, ms; default 30000. */
  readonly serverPollMs?: number;
}

/** Reads sessions (specification, Session and stamp). One is readable for ten minutes from its creation. */
export interface SessionApi {
  /**
   * One long poll: returns as soon as the session completes, at the latest after `serverPollMs` (ms, default 30000). Rejects
   * with an {@link ApiError} 404 `SESSION_NOT_FOUND` when it is unknown, another relying party's, or past its life.
   */
  poll(sessionId: string, serverPollMs?: number, options?: CallOptions): Promise<SessionResult>;
  /**
   * Polls until COMPLETE; at the deadline returns the last RUNNING result. Cut connections and 429, 502, 503 and 504 are
   * tried again, each time after a longer pause, within the deadline; when there was no answer at all until then, rejects
   * with the last error.
   */
  waitForResult(sessionId: string, options?: WaitOptions): Promise<SessionResult>;
}

/** The network needs some time of its own on top of what the service holds a request for, ms. */
const HTTP_MARGIN_MS = 10_000;
/** A service that answers RUNNING at once (it is restarting) is not asked more often than this, ms. */
const LEAST_INTERVAL_MS = 500;
/** Pause after the first failure, doubled with each further one, ms. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

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
        rest = LEAST_INTERVAL_MS - (Date.now() - asked);
      } catch (error) {
        rest = pauseAfter(error, failures);
        failures += 1;
        if (Date.now() + rest >= deadline && last === null) throw error;
      }
      const left = deadline - Date.now();
      if (last !== null && left <= 0) return last;
      if (rest > 0) await rested(Math.min(rest, left), signal);
    }
  }

  return { poll, waitForResult };
}

/** Rejects with the signal's own reason, like every call. */
async function rested(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** How long to pause before trying again, ms. @throws the error itself when trying again cannot help */
function pauseAfter(error: unknown, failures: number): number {
  const backOff = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  // Many clients cut off at the same moment must not all come back at the same one.
  const spread = backOff * (0.5 + Math.random() / 2);
  if (error instanceof NetworkError) return spread;
  if (error instanceof ApiError && passing.includes(error.status)) {
    return Math.max(spread, error.retryAfterMs ?? 0);
  }
  throw error;
}

/** Statuses that pass by themselves. */
const passing: readonly number[] = [429, 502, 503, 504];
