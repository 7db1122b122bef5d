import type { Right } from '../../domain/representation/representation.ts';
import type { CompleteSession, Session, StartedSession } from '../../domain/session/session.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { StandingOf } from '../organization/standing.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CertificateFact,
  CertificateFacts,
  CitizenFact,
  CitizenFacts,
} from '../ports/facts.ts';
import { sessionTopic, type Wake } from '../ports/wake.ts';
import type { Sessions } from './sessions.ts';

export interface Poll {
  readonly sessionId: string;
  /** Who asks; another relying party's session does not exist for it. */
  readonly relyingPartyId: string;
  /** How long to wait for an outcome, ms. */
  readonly timeoutMs: number;
  /** Ends the waiting early. @see RequestContext.onGone */
  readonly onGone: (callback: () => void) => () => void;
}

export type PollResult =
  | { readonly state: 'RUNNING' }
  | {
      readonly state: 'COMPLETE';
      readonly session: CompleteSession;
      /** Of an OK session; null when the citizen was forgotten since. */
      readonly citizen: CitizenFact | null;
      /** Of an OK session. */
      readonly certificate: CertificateFact | null;
      /** By what right the citizen represents the organization now; null: for nobody else, or by none any more. */
      readonly right: Pick<Right, 'rightType' | 'role'> | null;
    };

export interface PollDependencies {
  readonly sessions: Sessions;
  readonly wake: Wake;
  readonly facts: CitizenFacts & CertificateFacts;
  readonly clock: Clock;
  readonly standingOf: StandingOf;
  /** Whether every completion goes through this process's aggregate cache: then a session remembered as RUNNING runs. */
  readonly soleProcess: boolean;
  /**
   * Whether what is remembered follows the log just now: then a session remembered as RUNNING may be waited on, but the
   * log is asked before RUNNING is answered. If not, it may have been completed elsewhere before this poll began to
   * listen, so the log is asked before waiting, too. Default: not.
   */
  readonly isFollowing?: () => boolean;
}

/**
 * Waits until the session is complete or the time is up.
 *
 * @throws Refusal SESSION_NOT_FOUND: unknown, another relying party's, or past its readable time
 */
export type PollSession = (poll: Poll) => Promise<PollResult>;

export function createPollSession(dependencies: PollDependencies): PollSession {
  const { sessions, wake, facts, clock, standingOf, soleProcess } = dependencies;
  const { isFollowing = () => false } = dependencies;

  /** @param toAnswer whether the poll is over; otherwise it may wait for what the memory does not know yet */
  async function read(
    { sessionId, relyingPartyId }: Poll,
    toAnswer: boolean,
  ): Promise<StartedSession> {
    // What is complete stays so.
    const trusts = ({ status }: Session) =>
      soleProcess || status === 'COMPLETE' || (!toAnswer && isFollowing());
    const { state } = await sessions.load(sessionId, { trusts });
    if (
      state.status === 'NONE' ||
      state.started.relyingPartyId !== relyingPartyId ||
      clock.now().toISOString() >= state.started.readableUntil
    ) {
      throw new Refusal('SESSION_NOT_FOUND');
    }
    return state;
  }

  async function complete(session: CompleteSession): Promise<PollResult> {
    const { confirmation, chosen } = session.outcome;
    const answer = confirmation ?? chosen;
    if (answer === null) {
      const right = await rightNow(session);
      return { state: 'COMPLETE', session, citizen: null, certificate: null, right };
    }
    const [citizen, certificate, right] = await Promise.all([
      facts.citizen({ type: 'civilId', civilId: answer.civilId }),
      facts.certificate(answer.certificateSerial),
      rightNow(session),
    ]);
    return { state: 'COMPLETE', session, citizen, certificate, right };
  }

  async function rightNow({ started: { onBehalfOf, civilId } }: CompleteSession) {
    if (onBehalfOf === null || civilId === null) return null;
    try {
      const { right } = await standingOf(onBehalfOf.register, civilId, clock.now());
      return right;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  return async (poll) => {
    const deadline = performance.now() + poll.timeoutMs;
    for (;;) {
      // Registered before reading: a completion between the two wakes this listener.
      const listener = wake.listen(sessionTopic(poll.sessionId));
      try {
        const remaining = deadline - performance.now();
        const session = await read(poll, remaining <= 0);
        if (session.status === 'COMPLETE') return await complete(session);
        if (remaining <= 0) return { state: 'RUNNING' };
        if ((await firstOf(listener.changed, remaining, poll.onGone)) === 'gone') {
          return { state: 'RUNNING' };
        }
      } finally {
        listener.cancel();
      }
    }
  };
}

type Ending = 'changed' | 'time' | 'gone';

function firstOf(
  changed: Promise<void>,
  timeoutMs: number,
  onGone: Poll['onGone'],
): Promise<Ending> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, timeoutMs, 'time');
    const forget = onGone(() => end('gone'));
    void changed.then(() => end('changed'));
    function end(how: Ending) {
      clearTimeout(timer);
      forget();
      resolve(how);
    }
  });
}
