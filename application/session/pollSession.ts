import type { Right } from '../../domain/representation/representation.ts';
import type { CompleteSession, Session, StartedSession } from '../../domain/session/session.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { ExpectRepresentation } from '../organization/expectRepresentation.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CertificateData,
  CertificateReferenceData,
  CitizenData,
  CitizenReferenceData,
} from '../ports/referenceData.ts';
import { sessionTopic, type Notifications } from '../ports/notifications.ts';
import type { Sessions } from './sessions.ts';

export interface Poll {
  readonly sessionId: string;
  /** The polling relying party; other parties' sessions do not exist for it. */
  readonly relyingPartyId: string;
  /** Time to wait for an outcome, ms. */
  readonly timeoutMs: number;
  /** Ends the wait early. @see RequestContext.onGone */
  readonly onGone: (callback: () => void) => () => void;
}

export type PollResult =
  | { readonly state: 'RUNNING' }
  | {
      readonly state: 'COMPLETE';
      readonly session: CompleteSession;
      /** Signer of an OK session; null after crypto-shredding. */
      readonly citizen: CitizenData | null;
      /** Of an OK session. */
      readonly certificate: CertificateData | null;
      /** Current right to represent the organization; null: no organization, or the right has ended. */
      readonly right: Pick<Right, 'rightType' | 'role'> | null;
    };

export interface PollDependencies {
  readonly sessions: Sessions;
  readonly notifications: Notifications;
  readonly referenceData: CitizenReferenceData & CertificateReferenceData;
  readonly clock: Clock;
  readonly expectRepresentation: ExpectRepresentation;
  /** True when every completion goes through this process's aggregate cache: a session cached as RUNNING then runs. */
  readonly soleProcess: boolean;
  /**
   * True while the cache follows the log: a poll may then wait on a session cached as RUNNING, but reads the log before
   * it returns RUNNING. Otherwise the session may have completed in another process before this poll listened, so the
   * log is read before waiting, too. Default: false.
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
  const { sessions, notifications, referenceData, clock, expectRepresentation, soleProcess } =
    dependencies;
  const { isFollowing = () => false } = dependencies;

  /** @param toAnswer true at the end of the poll; otherwise it may wait for a change that is not cached yet */
  async function read(
    { sessionId, relyingPartyId }: Poll,
    toAnswer: boolean,
  ): Promise<StartedSession> {
    // A completed session never changes.
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
      referenceData.citizen({ type: 'civilId', civilId: answer.civilId }),
      referenceData.certificate(answer.certificateSerial),
      rightNow(session),
    ]);
    return { state: 'COMPLETE', session, citizen, certificate, right };
  }

  async function rightNow({ started: { onBehalfOf, civilId } }: CompleteSession) {
    if (onBehalfOf === null || civilId === null) return null;
    try {
      const { right } = await expectRepresentation(onBehalfOf.register, civilId, clock.now());
      return right;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  return async (poll) => {
    const deadline = performance.now() + poll.timeoutMs;
    for (;;) {
      // Registered before reading: a completion in between notifies this listener.
      const listener = notifications.listen(sessionTopic(poll.sessionId));
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
