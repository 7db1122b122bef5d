import { ApiError, NetworkError } from './errors.ts';

/** Pauses between attempts, ms. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Pause before the next attempt, ms. @throws the error itself when it is not transient */
export function pauseAfter(error: unknown, failures: number): number {
  const backOff = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  // Jitter: clients cut off at the same moment must not all return at once.
  const spread = backOff * (0.5 + Math.random() / 2);
  if (error instanceof NetworkError) return spread;
  if (error instanceof ApiError && passing.includes(error.status)) {
    return Math.max(spread, error.retryAfterMs ?? 0);
  }
  throw error;
}

/** Transient statuses. */
const passing: readonly number[] = [429, 502, 503, 504];
