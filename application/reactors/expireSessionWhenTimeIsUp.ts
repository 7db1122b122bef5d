import type { Clock } from '../ports/clock.ts';
import type { OverdueSession, OverdueSessions } from '../ports/sessionViews.ts';
import type { Sessions } from '../session/sessions.ts';
import { asReactor, type Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface ExpiryOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly sessions: Sessions;
  readonly overdue: OverdueSessions;
  readonly clock: Clock;
  /** Milliseconds between sweeps; default 250. */
  readonly everyMs?: number;
}

const name = 'expireSessionWhenTimeIsUp';

/**
 * Ends sessions nobody answered in time: every sweep asks for RUNNING sessions past their time and expires them. Working
 * from the read model, it finds after a restart whatever became due meanwhile; the session itself decides whether its
 * time is up, so that being late or twice does no harm.
 */
export function createSessionExpiry(options: ExpiryOptions): Reactor {
  const { sessions, overdue, clock, everyMs = 250 } = options;

  async function expire({ sessionId }: OverdueSession): Promise<void> {
    const command = { type: 'ExpireSession', now: clock.now().toISOString() } as const;
    await sessions.handle(sessionId, command, asReactor(name, sessionId));
  }

  const page = (limit: number, after: OverdueSession | null) =>
    overdue.overdueSessions(clock.now(), limit, after);

  return createSweep(name, { page, each: expire }, { ...options, everyMs });
}
