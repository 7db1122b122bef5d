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
 * Expires RUNNING sessions past their deadline, found in the read model, so that a restart finds those that became due
 * meanwhile. The session checks its deadline itself: a late or repeated command does no harm.
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
