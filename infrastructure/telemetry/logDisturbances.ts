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
  /** Calls not answered yet, the oldest first. */
  const underWay = new Set<{ readonly begun: number }>();
  const isLate = (begun: number) => now() - begun > PROMPT_MS;
  return {
    async noting(call) {
      const begun = now();
      const mark = { begun };
      underWay.add(mark);
      try {
        return await call();
      } catch (error) {
        if (error instanceof Unavailable) lastAt = now();
        throw error;
      } finally {
        underWay.delete(mark);
        if (isLate(begun)) lastAt = now();
      }
    },
    isCatchingUp() {
      const [oldest] = underWay;
      return (oldest !== undefined && isLate(oldest.begun)) || now() - lastAt < CATCH_UP_MS;
    },
  };
}
