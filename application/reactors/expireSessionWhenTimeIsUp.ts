import type { Clock } from '../ports/clock.ts';
import { pause } from '../ports/follow.ts';
import type { OverdueSession, OverdueSessions } from '../ports/sessionViews.ts';
import type { SingleActive, SingleActiveRun } from '../ports/singleActive.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Reactor, ReactorStatus } from './reactor.ts';

export interface ExpiryOptions {
  readonly sessions: Sessions;
  readonly overdue: OverdueSessions;
  readonly clock: Clock;
  readonly singleActive: SingleActive;
  /** A sweep failed and the next one tries again; called once until one succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
  /** Milliseconds between sweeps; default 250. */
  readonly everyMs?: number;
}

const name = 'expireSessionWhenTimeIsUp';
const pageSize = 200;

/**
 * Ends sessions nobody answered in time: every sweep asks for RUNNING sessions past their time and expires them. Working
 * from the read model, it finds after a restart whatever became due meanwhile; the session itself decides whether its
 * time is up, so that being late or twice does no harm.
 */
export function createSessionExpiry(options: ExpiryOptions): Reactor {
  const { sessions, overdue, clock, singleActive, onFailure, everyMs = 250 } = options;
  let active: SingleActiveRun | undefined;
  let state: ReactorStatus['state'] = 'STANDBY';

  async function expire({ sessionId }: OverdueSession): Promise<void> {
    const command = { type: 'ExpireSession', now: clock.now().toISOString() } as const;
    await sessions.handle(sessionId, command, {
      actor: { kind: 'system', id: name },
      correlationId: sessionId,
      causationId: name,
      requestId: null,
      ip: null,
    });
  }

  async function sweep(signal: AbortSignal): Promise<void> {
    const now = clock.now();
    let last: OverdueSession | null = null;
    while (!signal.aborted) {
      const page: readonly OverdueSession[] = await overdue.overdueSessions(now, pageSize, last);
      const results = await Promise.allSettled(page.map(expire));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      last = page.at(-1) ?? null;
      if (page.length < pageSize) return;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    state = 'RUNNING';
    while (!signal.aborted) {
      try {
        await sweep(signal);
        state = 'RUNNING';
      } catch (error) {
        if (state === 'RUNNING') onFailure(name, error);
        state = 'RETRYING';
      }
      await pause(everyMs, signal);
    }
    state = 'STANDBY';
  }

  return {
    start() {
      active ??= singleActive.runWhileHolding(`tamga-reactor-${name}`, run);
    },
    async stop() {
      const stopping = active;
      active = undefined;
      await stopping?.stop();
    },
    status: () => ({ name, state, position: null }),
  };
}
