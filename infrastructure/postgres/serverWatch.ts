import type pg from 'pg';
import type { Clock } from '../../application/ports/clock.ts';
import { NotReady, Unavailable } from '../../application/ports/faults.ts';
import { type ClockComparison, createClockOffset } from '../system.ts';
import type { Log } from '../../application/ports/log.ts';
import {
  clockFault,
  connectionFault,
  durabilityFaults,
  readServerState,
  startFaults,
  type ServerState,
} from './serverState.ts';

export interface ServerWatchOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly log: Log;
  /** Connections this process may open. */
  readonly connections: number;
  /** Refuses a server that does not keep what it acknowledges; otherwise it is only logged. */
  readonly isStrict: boolean;
  /** Called with each comparison of the clocks. */
  readonly onCompared?: (comparison: ClockComparison) => void;
  /** Interval of the comparison, ms; default 5 s. */
  readonly everyMs?: number;
}

/** Watches what the service relies on in its PostgreSQL server. */
export interface ServerWatch {
  /**
   * Looks for the first time, then at intervals.
   *
   * @throws UnsafeServer when strict
   * @throws Unavailable(database)
   */
  start(): Promise<void>;
  stop(): void;
  /** False while this clock and the database server's differ: as of the last comparison, and of what the clock did since. */
  hasRightClock(): boolean;
  /** For `/readyz`: each rejects with NotReady. */
  readonly checks: Readonly<Record<'durability' | 'clock', () => Promise<void>>>;
}

/** The server does not keep what it acknowledges, or has too few connections; the message says what to change. */
export class UnsafeServer extends Error {
  override readonly name = 'UnsafeServer';

  constructor(faults: readonly string[]) {
    super(`PostgreSQL (SVC_DATABASE_URL) is not safe to use:\n- ${faults.join('\n- ')}`);
  }
}

/** Bounds how long a change of the server's own clock is not noticed. */
const EVERY_MS = 5000;

export function createServerWatch(options: ServerWatchOptions): ServerWatch {
  const { pool, clock, log, connections, isStrict, onCompared, everyMs = EVERY_MS } = options;
  const offset = createClockOffset({ clock });
  let timer: NodeJS.Timeout | undefined;
  /** Faults as of the last look, by the check that fails with them. */
  let known = { durability: '', clock: '' };

  function judge(state: ServerState): void {
    offset.compared(state.clock);
    onCompared?.(state.clock);
    const found = {
      durability: durabilityFaults(state).join(' '),
      clock: clockFault(state) ?? '',
    };
    for (const name of ['durability', 'clock'] as const) {
      if (found[name] === known[name]) continue;
      const say = (isStrict || name === 'clock' ? log.error : log.warn).bind(log);
      if (found[name] !== '') say({ fault: found[name] }, 'PostgreSQL is not safe to use.');
      else log.info({ check: name }, 'PostgreSQL is safe to use again.');
    }
    known = found;
  }

  async function look(): Promise<ServerState> {
    const state = await readServerState(pool, clock);
    judge(state);
    return state;
  }

  function clockFaultNow(): string {
    const found = offset.now();
    return found === null ? '' : (clockFault({ clock: found }) ?? '');
  }

  const check = (fault: () => string) => () => {
    const found = fault();
    return found === '' ? Promise.resolve() : Promise.reject(new NotReady(found));
  };

  return {
    async start() {
      const state = await look().catch((cause: unknown) => {
        if (cause instanceof Unavailable) throw cause;
        throw new Error('PostgreSQL refuses the connection that SVC_DATABASE_URL names.', {
          cause,
        });
      });
      const tooFew = connectionFault(state, connections - 1);
      if (tooFew !== null) log.warn({ fault: tooFew }, 'PostgreSQL may run out of connections.');
      const faults = startFaults(state, connections - 1);
      if (isStrict && faults.length > 0) throw new UnsafeServer(faults);
      // While the database is unavailable its own check says so.
      timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
    },
    stop: () => clearInterval(timer),
    hasRightClock: offset.isRight,
    checks: {
      durability: isStrict ? check(() => known.durability) : () => Promise.resolve(),
      clock: check(clockFaultNow),
    },
  };
}
