import { allowedSince } from '../../domain/citizen/citizen.ts';
import { notMe } from '../../domain/session/events.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import type { Citizens } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';

/** "It was not me" of a citizen, and what follows from it. */
export interface OwnServices {
  /** End of the time in which the relying party of the session cannot send requests, ISO 8601; null: it can. */
  blockedUntil(civilId: string, session: StartedSession): Promise<string | null>;
  /** Takes "It was not me" back: the relying party may send requests again. Repeatable. */
  allow(civilId: string, session: StartedSession, context: CommandContext): Promise<void>;
}

export function createOwnServices({
  citizens,
  clock,
  blockMs,
}: {
  readonly citizens: Pick<Citizens, 'load' | 'handle'>;
  readonly clock: Clock;
  /** Time a relying party is blocked after "It was not me", ms. */
  readonly blockMs: number;
}): OwnServices {
  return {
    async blockedUntil(civilId, session) {
      const disownedAt = disownedIn(session);
      if (disownedAt === null) return null;
      const until = Date.parse(disownedAt) + blockMs;
      if (until <= clock.now().getTime()) return null;
      const { state } = await citizens.load(civilId, { trusts: () => false });
      const allowed = allowedSince(state, session.started.relyingPartyId);
      return allowed !== null && allowed >= disownedAt ? null : new Date(until).toISOString();
    },
    async allow(civilId, session, context) {
      const disownedAt = disownedIn(session);
      if (disownedAt === null) return;
      const { relyingPartyId } = session.started;
      const now = clock.now().toISOString();
      const command = { type: 'AllowPushes', civilId, relyingPartyId, disownedAt, now } as const;
      await citizens.handle(civilId, command, context);
    },
  };
}

/** Time of "It was not me" in the session; null: it was not said. */
function disownedIn(session: StartedSession): string | null {
  if (session.status !== 'COMPLETE' || session.outcome.endResult !== notMe) return null;
  return session.outcome.completedAt;
}
