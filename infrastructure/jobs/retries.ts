/** Retry policy of failing jobs. */
export interface RetryOptions {
  /** Attempts at most, without those that rest on what a newer release wrote; default 10. */
  readonly attempts?: number;
  /** Delay before the second attempt, doubling up to an hour, milliseconds; default 1000. */
  readonly firstDelayMs?: number;
}

/** Retention of ended jobs. */
export interface RetentionOptions {
  /**
   * Time an ended job is kept, so that its id is not run again, milliseconds; default an hour. Reactors enqueue nothing
   * for a session whose time, ten minutes, is up, so no id comes later.
   */
  readonly rememberedMs?: number;
}

/** Callbacks of both runners. */
export interface JobObserver {
  /** A job failed in its last attempt. */
  readonly onGivenUp?: (
    job: { readonly name: string; readonly id: string },
    cause: unknown,
  ) => void;
  /** An attempt ended. */
  readonly onTried?: (name: string, outcome: 'done' | 'failed') => void;
}

export const defaultAttempts = 10;
export const defaultFirstDelayMs = 1000;
export const defaultRememberedMs = 3_600_000;
const longestDelayMs = 3_600_000;

/** Delay after failed attempt number `tried` (from 1), milliseconds: doubling, with up to a half more as jitter. */
export function retryDelay(tried: number, firstDelayMs: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (tried - 1)) * (1 + Math.random() / 2);
}
