import type { Clock } from '../ports/clock.ts';
import { pause } from '../ports/follow.ts';
import type { LeaderLock } from '../ports/leaderLock.ts';
import { type Reactor, type ReactorStatus, whileHolding } from '../reactors/reactor.ts';

export interface SessionArchiverOptions {
  /** Archives sessions that ended before this moment. */
  readonly archive: (before: Date, signal: AbortSignal) => Promise<unknown>;
  /** Time that ended sessions stay in the log, ms. */
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly leaderLock: LeaderLock;
  readonly onFailure: (name: string, cause: unknown) => void;
  /** Milliseconds between two runs; default an hour. */
  readonly everyMs?: number;
}

const name = 'archiveEndedSessions';

/** Archives sessions that ended longer ago than they are retained, in one process at a time. */
export function createSessionArchiver(options: SessionArchiverOptions): Reactor {
  const { archive, retentionMs, clock, leaderLock, onFailure, everyMs = 3_600_000 } = options;
  let state: ReactorStatus['state'] = 'STANDBY';

  async function keepArchiving(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await archive(new Date(clock.now().getTime() - retentionMs), signal);
        state = 'RUNNING';
      } catch (error) {
        state = 'RETRYING';
        onFailure(name, error);
      }
      await pause(everyMs, signal);
    }
    state = 'STANDBY';
  }

  return {
    ...whileHolding(leaderLock, name, keepArchiving),
    status: () => ({ name, state, position: null }),
  };
}
