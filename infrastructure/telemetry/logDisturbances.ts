import { Unavailable } from '../../application/ports/faults.ts';

/** Notices when the log does not answer promptly: what was to be written then comes late, through no fault of a caller. */
export interface LogDisturbances {
  /** Runs a call of the log and notes how it goes. */
  noting<Result>(call: () => Promise<Result>): Promise<Result>;
  /** True from a disturbance until what waited for its end should be written. */
  isCatchingUp(): boolean;
}

/** A log that takes longer is disturbed, ms. */
const PROMPT_MS = 300;
/** Time after a disturbance for other processes and phones to write what they could not, ms. */
const CATCH_UP_MS = 5000;

/** @param now monotonic time, ms */
export function createLogDisturbances(now = () => performance.now()): LogDisturbances {
  let lastAt = -Infinity;
  return {
    async noting(call) {
      const begun = now();
      try {
        return await call();
      } catch (error) {
        if (error instanceof Unavailable) lastAt = now();
        throw error;
      } finally {
        if (now() - begun > PROMPT_MS) lastAt = now();
      }
    },
    isCatchingUp: () => now() - lastAt < CATCH_UP_MS,
  };
}
