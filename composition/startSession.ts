import { createStartSession, type StartSession } from '../application/session/startSession.ts';
import type { Core } from './core.ts';

/** How long a session can be read, ms from its start (specification, Limits). */
const READABLE_MS = 10 * 60_000;

/** What starts sessions, for whoever asks for one. */
export function composeStartSession({ config, foundation, aggregates }: Core): StartSession {
  const { clock, randomness, facts, sessionTokens } = foundation;
  const { sessions, relyingParties, standingOf, accessLog } = aggregates;
  return createStartSession({
    ...{ sessions, relyingParties, facts, clock, randomness, sessionTokens, standingOf, accessLog },
    answerWindowMs: config.SVC_SESSION_WINDOW * 1000,
    readableMs: READABLE_MS,
    scheme: config.SVC_SCHEME_NAME,
    loopbackCallbacks: config.SVC_PROFILE === 'development',
  });
}
