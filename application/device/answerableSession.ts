import type { Answerer, Session, StartedSession } from '../../domain/session/session.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { DeviceFact } from '../ports/facts.ts';
import type { Sessions } from '../session/sessions.ts';

/** Who answers with this device. */
export function answererOf({ documentNumber, civilId }: DeviceFact): Answerer {
  return { documentNumber, civilId };
}

/**
 * The session, when `isFor` says the device has to do with it. What is remembered may be out of date (another node
 * started or claimed it), so a no is final only when the log says it too.
 *
 * @throws Refusal SESSION_NOT_FOUND
 */
export async function loadSessionFor(
  sessions: Sessions,
  sessionId: string,
  isFor: (session: StartedSession) => boolean,
): Promise<StartedSession> {
  const started = (session: Session) =>
    session.status !== 'NONE' && isFor(session) ? session : undefined;
  const session =
    started((await sessions.load(sessionId)).state) ??
    started((await sessions.load(sessionId, { trusts: () => false })).state);
  if (session === undefined) throw new Refusal('SESSION_NOT_FOUND');
  return session;
}
