/** How often and how patiently a failing job is tried. */
export interface RetryOptions {
  /** Tries at most; default 10. */
  readonly attempts?: number;
  /** Milliseconds before the second try, doubling from there up to an hour; default 1000. */
  readonly firstDelayMs?: number;
}

/** What both runners tell their operator. */
export interface JobObserver {
  /** A job failed for the last time. */
  readonly onGivenUp?: (
    job: { readonly name: string; readonly id: string },
    cause: unknown,
  ) => void;
  /** A try ended. */
  readonly onTried?: (name: string, outcome: 'done' | 'failed') => void;
}

export const defaultAttempts = 10;
export const defaultFirstDelayMs = 1000;
const longestDelayMs = 3_600_000;

/** Milliseconds to wait after try number `tried` (from 1) failed: doubling, and up to a half more by chance. */
export function retryDelay(tried: number, firstDelayMs: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (tried - 1)) * (1 + Math.random() / 2);
}
