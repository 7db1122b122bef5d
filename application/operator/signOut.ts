import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndedSessions } from './ports/endedSessions.ts';
import { type FindOperatorSession, longestSessionMs } from './operators.ts';
import type { SignInJournal } from './signInJournal.ts';

export interface SignOutDependencies {
  readonly findSession: FindOperatorSession;
  readonly ended: Pick<EndedSessions, 'end'>;
  readonly journal: Pick<SignInJournal, 'signedOut'>;
  readonly clock: Clock;
}

/**
 * Ends the session of a token: every process refuses its tokens at once, those of the second step and of the assistant
 * too. Nothing happens for a token that is no longer valid.
 *
 * @param contextOf of the operator who signs out
 * @throws Unavailable; the session may not have ended then
 */
export type SignOut = (
  token: string,
  contextOf: (operatorId: string, sessionId: string) => CommandContext,
) => Promise<void>;

export function createSignOut({
  findSession,
  ended,
  journal,
  clock,
}: SignOutDependencies): SignOut {
  return async (token, contextOf) => {
    const session = await findSession(token);
    if (session === null) return;
    const { sessionId, operator } = session;
    await journal.signedOut(session, contextOf(operator.operatorId, sessionId));
    await ended.end(sessionId, new Date(clock.now().getTime() + longestSessionMs));
  };
}
