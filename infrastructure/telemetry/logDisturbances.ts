import { Unavailable } from '../../application/ports/faults.ts';
import type { LogDisturbance } from '../../application/session/ports/pushRecords.ts';

/** Notices when the log does not answer promptly: what was to be written then comes late, through no fault of a caller. */
export interface LogDisturbances {
  /** Runs a call of the log and notes how it goes. */
  noting<Result>(call: () => Promise<Result>): Promise<Result>;
  /**
   * Worst disturbance of a call that is under way, or ended less than {@link CATCH_UP_MS} ago: until then others write
   * what had to wait. Null: none.
   */
  current(): LogDisturbance | null;
}

/** Shortest time of a call that counts as a disturbance, ms: a log that is away is waited for 3 s before it is asked anew. */
const LONGER_THAN_MS = { SLOW: 300, AWAY: 3000 } as const;
/** Time after a disturbance for other processes and phones to write what they could not, ms. */
const CATCH_UP_MS = 5000;

/** @param now monotonic time, ms */
export function createLogDisturbances(now = () => performance.now()): LogDisturbances {
  const lastAt = { SLOW: -Infinity, AWAY: -Infinity };
  /** Calls not answered yet, the oldest first. */
  const underWay = new Set<{ readonly begun: number }>();

  function isCurrent(disturbance: LogDisturbance): boolean {
    const [oldest] = underWay;
    const isUnderWay = oldest !== undefined && now() - oldest.begun > LONGER_THAN_MS[disturbance];
    return isUnderWay || now() - lastAt[disturbance] < CATCH_UP_MS;
  }

  return {
    async noting(call) {
      const mark = { begun: now() };
      underWay.add(mark);
      try {
        return await call();
      } catch (error) {
        if (error instanceof Unavailable) lastAt.AWAY = now();
        throw error;
      } finally {
        underWay.delete(mark);
        const took = now() - mark.begun;
        if (took > LONGER_THAN_MS.SLOW) lastAt.SLOW = now();
        if (took > LONGER_THAN_MS.AWAY) lastAt.AWAY = now();
      }
    },
    current() {
      if (isCurrent('AWAY')) return 'AWAY';
      return isCurrent('SLOW') ? 'SLOW' : null;
    },
  };
}
