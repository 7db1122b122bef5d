import { type EndResult, notMe } from '../../domain/session/events.ts';
import { countAttempt, counted, limitReached, type NamedLimit } from '../attempts.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { Clock } from '../ports/clock.ts';
import { Unavailable } from '../ports/faults.ts';
import { backOff, pause } from '../ports/follow.ts';
import type {
  LogDisturbance,
  LoggedPushes,
  PushEnding,
  PushLimit,
  PushRecords,
  RunningPush,
} from './ports/pushRecords.ts';

/** Rules for pushes to one citizen; 0 switches a rule off. */
export interface PushRules {
  /** Unanswered pushes at once, over all relying parties; of one at most two, and the last place is for one that has none. */
  readonly running: number;
  /** Wait of a relying party after a refusal, ms; doubled by each further one in a row. */
  readonly backOffMs: number;
  /** Time a relying party is blocked after "It was not me", ms. */
  readonly blockMs: number;
}

export interface PushLimitsDependencies {
  /** Pushes to a citizen over all relying parties. */
  readonly citizen: AttemptLimits;
  /** Pushes of one relying party to a citizen. */
  readonly relyingParty: AttemptLimits;
  readonly rules: PushRules;
  /** Civil ids of test citizens, who have no limits. */
  readonly unlimited: ReadonlySet<string>;
  readonly records: PushRecords;
  readonly logged: LoggedPushes;
  /** Time the citizen took "It was not me" to this relying party back; null: never. */
  readonly allowedSince: (push: Push) => Promise<string | null>;
  readonly clock: Clock;
  readonly onRefused: (limit: PushLimit) => void;
  /** Monotonic time, ms. */
  readonly elapsed?: () => number;
}

/** Limits of pushes, so that neither one relying party nor many together wear a citizen out. */
export interface PushLimits {
  /**
   * Counts a push before it is sent; to be called where failures give back what was counted.
   *
   * @param isCitizensWish the logged-in citizen wants it: refusals before do not limit it; default false
   * @throws Refusal RATE_LIMITED
   * @throws Unavailable when the log cannot tell whether the citizen has answered the others
   */
  admit(push: Push, isCitizensWish?: boolean): Promise<void>;
  /** Takes back a push that was admitted here and confirmed at any process. */
  ended(sessionId: string, endResult: EndResult): Promise<void>;
}

/** Longest wait of a relying party after refusals, ms. */
const LONGEST_BACK_OFF_MS = 60 * 60_000;
/** Retry-After while too many are unanswered, s. */
const RUNNING_RETRY = 30;
/**
 * Longest wait for a place while the log catches up, ms: one that is slow for good catches up for ever, one that is away
 * elects a leader first.
 */
const CATCH_UP_WAIT_MS: Readonly<Record<LogDisturbance, number>> = { SLOW: 8000, AWAY: 15_000 };
/** Unanswered pushes of one relying party to a citizen at once. */
const RUNNING_OF_ONE = 2;
/** Window of the counts, ms. */
export const PUSH_WINDOW_MS = 60_000;

const limits: Readonly<Record<PushLimit, NamedLimit>> = {
  CITIZEN: {
    what: 'The citizen was asked too often lately. Wait, or use a device link.',
    setting: 'SVC_PUSHES_PER_MINUTE',
  },
  RELYING_PARTY: {
    what: 'You asked this citizen too often lately. Wait, or use a device link.',
    setting: 'SVC_PUSHES_PER_RELYING_PARTY',
  },
  RUNNING: {
    what: 'The citizen has too many unanswered requests. Wait until they are answered.',
    setting: 'SVC_PUSHES_RUNNING',
  },
  RUNNING_OF_RELYING_PARTY: {
    what: `The citizen has ${RUNNING_OF_ONE} unanswered requests of yours. Wait until one is answered.`,
    setting: 'SVC_PUSHES_RUNNING',
  },
  BACK_OFF: {
    what: 'The citizen refused. Ask again later, and only if the citizen wants it.',
    setting: 'SVC_PUSH_BACK_OFF',
  },
  WRONG_CODES: {
    what: 'The citizen chose a wrong verification code several times. Show the code in large type, and wait.',
    setting: 'SVC_PUSH_BACK_OFF',
  },
  NOT_ME: {
    what: 'The citizen answered "It was not me". For now, only a device link reaches the citizen.',
    setting: 'SVC_PUSH_BLOCK_HOURS',
  },
};

export function createPushLimits(dependencies: PushLimitsDependencies): PushLimits {
  const { citizen, relyingParty, rules, unlimited, records, logged } = dependencies;
  const { clock, onRefused, elapsed = () => performance.now() } = dependencies;
  const reads = Object.values(rules).some((each: number) => each > 0);
  const underWay = createPushesUnderWay(PUSH_WINDOW_MS, () => clock.now().getTime());

  function refuseFor(limit: PushLimit, seconds: number): void {
    if (seconds <= 0) return;
    onRefused(limit);
    throw limitReached(limits[limit], seconds, clock.now());
  }

  /** Limit that leaves the push no place among those that run; null: it has one. */
  function limitBeside(push: Push, running: readonly RunningPush[]): PushLimit | null {
    if (rules.running === 0) return null;
    const own = running.filter(isOfSameParty(push)).length;
    if (own >= RUNNING_OF_ONE) return 'RUNNING_OF_RELYING_PARTY';
    const keptFree = own === 0 ? 0 : 1;
    return running.length >= rules.running - keptFree ? 'RUNNING' : null;
  }

  /** Takes back the pushes that have ended by the log. @returns whether there were any */
  async function endLogged(running: readonly RunningPush[]): Promise<boolean> {
    const ends = running.map(async ({ sessionId }) => {
      const endResult = await logged.endResultOf(sessionId);
      if (endResult !== null) await ended(sessionId, endResult);
      return endResult !== null;
    });
    return (await Promise.all(ends)).includes(true);
  }

  /**
   * Takes a place among the pushes that run. There is none only if the log says so, and not while answers that it could
   * not take may still be on their way to it: what the platform could not write is not held against anybody.
   *
   * @returns whether the relying party had none
   * @throws Unavailable when the log was away for longer than a request waits
   */
  async function takePlace(push: Push, isCitizensWish: boolean): Promise<boolean> {
    const begun = elapsed();
    for (let tries = 1; ; tries += 1) {
      const seen = reads ? await expectWelcome(push, isCitizensWish) : [];
      // In one tick with the addition, so that pushes at once do not pass by each other.
      const running = underWay.known(push.civilId, seen);
      const limit = limitBeside(push, running);
      if (limit === null) {
        const isFirst = !underWay.known(push.civilId).some(isOfSameParty(push));
        underWay.add(push);
        return isFirst;
      }
      if (await endLogged(running)) continue;
      const disturbance = logged.disturbance();
      if (disturbance === null || elapsed() - begun > CATCH_UP_WAIT_MS[disturbance]) {
        if (disturbance === 'AWAY') throw new Unavailable('eventStore');
        refuseFor(limit, RUNNING_RETRY);
      }
      await pause(backOff(tries));
    }
  }

  async function expectWelcome(
    push: Push,
    isCitizensWish: boolean,
  ): Promise<readonly RunningPush[]> {
    const now = clock.now();
    const since = new Date(now.getTime() - Math.max(rules.blockMs, 2 * LONGEST_BACK_OFF_MS));
    const { running, endings: recorded } = await records.pushesTo(push, now, since);
    if (isCitizensWish) return running;
    const isBlocked = blockedUntil(recorded, rules) > now.getTime();
    const endings = isBlocked ? await sinceAllowed(push, recorded) : recorded;
    refuseFor('NOT_ME', (blockedUntil(endings, rules) - now.getTime()) / 1000);
    const { until, limit } = backOffOf(await withoutSlip(endings), rules);
    refuseFor(limit, (until - now.getTime()) / 1000);
    return running;
  }

  /**
   * Refusals in a row but for the first wrong choice of a code, which is a slip; from the second on somebody may be
   * guessing. Without a choice, "the code is another" is said on purpose.
   */
  async function withoutSlip(endings: readonly PushEnding[]): Promise<readonly PushEnding[]> {
    const refusals = refusalsInARow(endings);
    for (const ending of refusals.toReversed()) {
      if (ending.endResult === 'WRONG_VC' && (await logged.offeredChoice(ending.sessionId))) {
        return refusals.filter((refusal) => refusal !== ending);
      }
    }
    return refusals;
  }

  /** Endings that count still. */
  async function sinceAllowed(
    push: Push,
    endings: readonly PushEnding[],
  ): Promise<readonly PushEnding[]> {
    const allowed = await dependencies.allowedSince(push);
    return allowed === null ? endings : endings.filter(({ completedAt }) => completedAt > allowed);
  }

  async function ended(sessionId: string, endResult: EndResult): Promise<void> {
    const push = underWay.end(sessionId);
    if (push === undefined || endResult !== 'OK') return;
    await Promise.all([
      relyingParty.takeBack(ofRelyingParty(push)),
      citizen.takeBack(ofCitizen(push)),
    ]);
  }

  return {
    async admit(push, isCitizensWish = false) {
      if (unlimited.has(push.civilId)) return;
      const isFirst = await takePlace(push, isCitizensWish);
      counted(() => underWay.end(push.sessionId));
      // The relying party first: what it sends too much must not use up what others may send.
      refuseFor('RELYING_PARTY', await countAttempt(relyingParty, ofRelyingParty(push)));
      refuseFor(
        'CITIZEN',
        await countAttempt(citizen, ofCitizen(push), { keptFree: isFirst ? 0 : 1 }),
      );
    },
    ended,
  };
}

const isOfSameParty =
  ({ relyingPartyId }: Push) =>
  (other: RunningPush) =>
    other.relyingPartyId === relyingPartyId;

const ofCitizen = ({ civilId }: Push) => `push ${civilId}`;
const ofRelyingParty = ({ civilId, relyingPartyId }: Push) => `push ${relyingPartyId} ${civilId}`;

/** Milliseconds since 1970; 0: not blocked. */
function blockedUntil(endings: readonly PushEnding[], { blockMs }: PushRules): number {
  const disowned = endings.find(({ endResult }) => endResult === notMe);
  return disowned === undefined ? 0 : Date.parse(disowned.completedAt) + blockMs;
}

/** Refusals since the last confirmed push. An unanswered push is none: a phone without network must not be locked out. */
function refusalsInARow(endings: readonly PushEnding[]): readonly PushEnding[] {
  const answered = endings.filter(({ endResult }) => endResult === 'OK' || isRefused(endResult));
  const accepted = answered.findIndex(({ endResult }) => endResult === 'OK');
  return accepted === -1 ? answered : answered.slice(0, accepted);
}

/** Wait after refusals in a row, the newest first, until `until`, milliseconds since 1970. */
function backOffOf(
  refusals: readonly PushEnding[],
  { backOffMs }: PushRules,
): { readonly until: number; readonly limit: PushLimit } {
  const [last] = refusals;
  if (last === undefined) return { until: 0, limit: 'BACK_OFF' };
  const wait = Math.min(backOffMs * 2 ** (refusals.length - 1), LONGEST_BACK_OFF_MS);
  const limit = last.endResult === 'WRONG_VC' ? 'WRONG_CODES' : 'BACK_OFF';
  return { until: Date.parse(last.completedAt) + wait, limit };
}

function isRefused(endResult: string): boolean {
  return endResult.startsWith('USER_REFUSED') || endResult === 'WRONG_VC';
}

/** A push of a relying party to a citizen, whose identifier is resolved. */
interface Push extends RunningPush {
  readonly civilId: string;
}

interface Admitted extends Push {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Pushes this process admitted lately, and sessions it saw end: pushes at once see each other, and read models that lag
 * behind hold nothing up.
 */
interface PushesUnderWay {
  add(push: Push): void;
  /** @returns the push; undefined: not admitted here, or long ago */
  end(sessionId: string): Push | undefined;
  /** Running pushes: those of the read models that did not end meanwhile, and those they do not show yet. */
  known(civilId: string, seen?: readonly RunningPush[]): readonly RunningPush[];
}

/** @param keptMs time after which pushes and ends are forgotten */
function createPushesUnderWay(keptMs: number, now: () => number): PushesUnderWay {
  /** In the order of admission. */
  const admitted = new Map<string, Admitted>();
  const ofCitizen = new Map<string, Map<string, Admitted>>();
  /** Moments by session, in their order, milliseconds since 1970. */
  const ended = new Map<string, number>();

  function drop(sessionId: string): Push | undefined {
    const push = admitted.get(sessionId);
    if (push === undefined) return undefined;
    admitted.delete(sessionId);
    const others = ofCitizen.get(push.civilId);
    others?.delete(sessionId);
    if (others?.size === 0) ofCitizen.delete(push.civilId);
    return push;
  }

  function forgetOld(at: number): void {
    for (const { sessionId, at: since } of admitted.values()) {
      if (since > at - keptMs) break;
      drop(sessionId);
    }
    for (const [sessionId, since] of ended) {
      if (since > at - keptMs) break;
      ended.delete(sessionId);
    }
  }

  return {
    add(push) {
      const at = now();
      forgetOld(at);
      const added = { ...push, at };
      admitted.set(push.sessionId, added);
      const others = ofCitizen.get(push.civilId) ?? new Map<string, Admitted>();
      ofCitizen.set(push.civilId, others.set(push.sessionId, added));
    },
    end(sessionId) {
      const at = now();
      forgetOld(at);
      if (!ended.has(sessionId)) ended.set(sessionId, at);
      return drop(sessionId);
    },
    known(civilId, seen = []) {
      forgetOld(now());
      const running = new Map<string, RunningPush>(ofCitizen.get(civilId));
      for (const push of seen) if (!ended.has(push.sessionId)) running.set(push.sessionId, push);
      return [...running.values()];
    },
  };
}
