import type { SessionStep, SessionSteps } from './sessionSteps.ts';
import type { SessionEvent, SessionKind } from '../../domain/session/events.ts';
import {
  type CompleteSession,
  isOf,
  type Session,
  type SessionCommand,
  type RunningSession,
  sessionDecider,
  type StartedSession,
} from '../../domain/session/session.ts';
import type { Right } from '../../domain/representation/representation.ts';
import type { ExpectRepresentation } from '../organization/expectRepresentation.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';
import { type Notifications, type NotificationSender } from '../ports/notifications.ts';
import type { Clock } from '../ports/clock.ts';
import type { CertificateType } from '../../domain/certificate/events.ts';
import { type CertificateLevel, meetsLevel } from '../../domain/shared/certificateLevel.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type {
  CertificateData,
  CertificateReferenceData,
  CitizenData,
  CitizenReferenceData,
  DeviceData,
  DeviceReferenceData,
} from '../ports/referenceData.ts';
import { identifierOf, sessionTopic } from '../../domain/shared/streams.ts';
import {
  type AggregateFollower,
  type ClearableCache,
  createAggregateFollower,
} from '../followAggregate.ts';
import type { EventStore } from '../ports/eventStore.ts';

/** The session aggregate bound to its store. */
export type Sessions = Aggregate<Session, SessionCommand, SessionEvent>;

export interface SessionsDependencies extends AggregateDependencies<Session> {
  readonly notifications: NotificationSender;
  /** Counts; called once for each session, in the process that completed it. */
  readonly onCompleted?: (session: CompleteSession) => void;
}

/**
 * Binds the session aggregate to its store; a completion notifies this process's waiting polls as soon as it is
 * durable.
 */
export function createSessions(dependencies: SessionsDependencies): Sessions {
  const { notifications, onCompleted } = dependencies;
  return createAggregate('session', sessionDecider, dependencies, (id, session) => {
    if (session.status !== 'COMPLETE') return;
    notifications.notify([sessionTopic(id)]);
    onCompleted?.(session);
  });
}

/** Addressee of a session. */
export type SessionTarget =
  | { readonly type: 'anyone' }
  | { readonly type: 'person'; readonly identifier: PersonIdentifier }
  | { readonly type: 'document'; readonly documentNumber: string };

/** Required answerer; null: whoever opens the link, or any phone of the citizen. */
export interface SessionOwner {
  readonly civilId: string | null;
  readonly documentNumber: string | null;
}

/** NO_SUITABLE_CERTIFICATE, and if the person could use a certificate of another level. */
export class NoSuitableCertificate extends Refusal {
  readonly hasAnotherLevel: boolean;

  constructor(detail: string, hasAnotherLevel: boolean) {
    super('NO_SUITABLE_CERTIFICATE', { detail });
    this.hasAnotherLevel = hasAnotherLevel;
  }
}

interface Wanted {
  readonly kind: SessionKind;
  readonly target: SessionTarget;
  readonly certificateLevel: CertificateLevel;
}

/**
 * Finds the required answerer, one of whose phones must be able to answer: active, with a valid certificate of the
 * requested level.
 *
 * @param now ISO 8601
 * @throws Refusal PERSON_NOT_FOUND, DOCUMENT_NOT_FOUND; NoSuitableCertificate
 */
export async function findOwner(
  referenceData: CitizenReferenceData & DeviceReferenceData,
  { kind, target, certificateLevel }: Wanted,
  now: string,
): Promise<SessionOwner> {
  switch (target.type) {
    case 'anyone':
      return { civilId: null, documentNumber: null };
    case 'person': {
      const citizen = await referenceData.citizen(target.identifier);
      if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
      const devices = await referenceData.activeDevicesOf(citizen.civilId);
      expectOneSuitable('The person', devices, {
        type: certificateTypeFor(kind),
        certificateLevel,
        now,
      });
      return { civilId: citizen.civilId, documentNumber: null };
    }
    case 'document': {
      const device = await referenceData.device(target.documentNumber);
      if (device?.active !== true) throw new Refusal('DOCUMENT_NOT_FOUND');
      expectOneSuitable('The device', [device], {
        type: certificateTypeFor(kind),
        certificateLevel,
        now,
      });
      return { civilId: device.civilId, documentNumber: device.documentNumber };
    }
  }
}

/** Certificate type that answers a session of this kind. */
export function certificateTypeFor(kind: SessionKind): CertificateType {
  return kind === 'AUTHENTICATION' ? 'AUTH' : 'SIGN';
}

/** @throws NoSuitableCertificate */
function expectOneSuitable(
  whose: string,
  devices: readonly DeviceData[],
  wanted: {
    readonly type: CertificateType;
    readonly certificateLevel: CertificateLevel;
    readonly now: string;
  },
): void {
  const { type, certificateLevel, now } = wanted;
  const inForce = devices
    .map((device) => (type === 'AUTH' ? device.authentication : device.signing))
    .filter((certificate) => isInForce(certificate, now));
  if (inForce.some(({ level }) => meetsLevel(level, certificateLevel))) return;
  const purpose = type === 'AUTH' ? 'authentication' : 'signing';
  throw new NoSuitableCertificate(
    `${whose} has no ${purpose} certificate in force that is ${certificateLevel} or above.`,
    inForce.length > 0,
  );
}

/** @param now ISO 8601 */
export function isInForce({ status, notBefore, notAfter }: CertificateData, now: string): boolean {
  return status === 'VALID' && notBefore <= now && now < notAfter;
}

export interface FollowSessionsDependencies {
  readonly eventStore: EventStore;
  /** Cache of {@link Sessions}. */
  readonly cache: ClearableCache<Session>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly notifications: NotificationSender & {
    /** Notifies every waiter. */
    notifyAll(): void;
    /** True while somebody waits for the topic. */
    isAwaited(topic: string): boolean;
  };
  /** Called for a completion that arrives, also one of this process, and perhaps more than once. */
  readonly onCompleted?: (session: CompleteSession) => void;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Keeps the sessions that this process remembers, or has a waiter for, up to date with the log, and notifies waiting
 * polls: while it follows, a poll may wait on a session cached as RUNNING, since its completion arrives here. All others
 * pass by undecoded.
 */
export function createSessionFollower(dependencies: FollowSessionsDependencies): AggregateFollower {
  const { eventStore, cache, sessions, notifications, onCompleted, onFailure } = dependencies;
  return createAggregateFollower<Session, SessionEvent>({
    eventStore,
    category: 'session',
    wants: (stream) =>
      cache.concerns(stream) || notifications.isAwaited(sessionTopic(identifierOf(stream))),
    decider: sessionDecider,
    cache,
    onFailure,
    // Completions may have been passed over.
    onBegunAnew: () => notifications.notifyAll(),
    reload: (id) => sessions.load(id, { trusts: () => false }),
    onChange: (streams) => {
      const complete = [...streams].flatMap((stream) => {
        const state = cache.get(stream)?.state;
        return state?.status === 'COMPLETE' ? [{ stream, state }] : [];
      });
      notifications.notify(complete.map(({ stream }) => sessionTopic(identifierOf(stream))));
      for (const { state } of complete) onCompleted?.(state);
    },
  });
}

export interface Poll {
  readonly sessionId: string;
  /** The polling relying party; sessions that are not its own do not exist for it. */
  readonly relyingPartyId: string;
  /** True when the OpenID provider polls for a login of the relying party's client; default false. */
  readonly openIdLogin?: boolean;
  /** Time to wait for an outcome, ms. */
  readonly timeoutMs: number;
  /** Ends the wait early. @see RequestContext.onGone */
  readonly onGone: (callback: () => void) => () => void;
}

export type PollResult =
  | {
      readonly state: 'RUNNING';
      /** Step the request reached, at least; null: nothing is known. */
      readonly step: SessionStep | null;
    }
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
  /** Default: only what events say, that a device link was opened. */
  readonly steps?: Pick<SessionSteps, 'of'>;
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
  const { isFollowing = () => false, steps } = dependencies;

  /** @param toAnswer true at the end of the poll; otherwise it may wait for a change that is not cached yet */
  async function read(
    { sessionId, relyingPartyId, openIdLogin = false }: Poll,
    toAnswer: boolean,
  ): Promise<StartedSession> {
    // A completed session never changes.
    const trusts = ({ status }: Session) =>
      soleProcess || status === 'COMPLETE' || (!toAnswer && isFollowing());
    const { state } = await sessions.load(sessionId, { trusts });
    if (
      state.status === 'NONE' ||
      !(isOf(state, relyingPartyId) || (openIdLogin && state.started.openIdLogin)) ||
      clock.now().toISOString() >= state.started.readableUntil
    ) {
      throw new Refusal('SESSION_NOT_FOUND');
    }
    return state;
  }

  function running({ started, claimedBy }: RunningSession): PollResult {
    const told = steps?.of(started.sessionId) ?? null;
    const isOpened = claimedBy !== null && told !== 'PIN_ENTRY';
    return { state: 'RUNNING', step: isOpened ? 'OPENED' : told };
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
        if (remaining <= 0) return running(session);
        if ((await firstOf(listener.changed, remaining, poll.onGone)) === 'gone') {
          return running(session);
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
