import { notMe } from '../../domain/session/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { Clock } from '../ports/clock.ts';
import type { PushEnding, PushLimit, PushRecords } from './ports/pushRecords.ts';

/** A push of a relying party to a citizen, whose identifier is resolved. */
export interface Push {
  readonly civilId: string;
  readonly relyingPartyId: string;
}

/** Rules for pushes to one citizen; 0 switches a rule off. */
export interface PushRules {
  /** Unanswered pushes at once, over all relying parties. */
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
  readonly records: PushRecords;
  readonly clock: Clock;
  readonly onRefused: (limit: PushLimit) => void;
}

/** Limits of pushes, so that neither one relying party nor many together wear a citizen out. */
export interface PushLimits {
  /** Counts a push before it is sent. @throws Refusal RATE_LIMITED */
  admit(push: Push): Promise<void>;
  /** Takes a push back that the citizen confirmed. */
  confirmed(push: Push): Promise<void>;
}

/** Longest wait of a relying party after refusals, ms. */
const LONGEST_BACK_OFF_MS = 60 * 60_000;
/** Retry-After while too many are unanswered, s. */
const RUNNING_RETRY = 30;

const details: Readonly<Record<PushLimit, string>> = {
  CITIZEN: 'The citizen was asked too often lately. Wait, or use a device link.',
  RELYING_PARTY: 'You asked this citizen too often lately. Wait, or use a device link.',
  RUNNING: 'The citizen has too many unanswered requests. Wait until they are answered.',
  BACK_OFF: 'The citizen refused. Ask again later, and only when they want it.',
  NOT_ME: 'The citizen answered "It was not me". Only a device link reaches them for now.',
};

export function createPushLimits(dependencies: PushLimitsDependencies): PushLimits {
  const { citizen, relyingParty, rules, records, clock, onRefused } = dependencies;
  const reads = Object.values(rules).some((each: number) => each > 0);

  function refuseFor(limit: PushLimit, seconds: number): void {
    if (seconds <= 0) return;
    onRefused(limit);
    throw new Refusal('RATE_LIMITED', {
      detail: details[limit],
      retryAfterSeconds: Math.ceil(seconds),
    });
  }

  /** Checks the read models, which lag a moment; the attempts counted afterwards bound that moment. */
  async function expectWelcome(push: Push): Promise<void> {
    const now = clock.now();
    const since = new Date(now.getTime() - Math.max(rules.blockMs, 2 * LONGEST_BACK_OFF_MS));
    const { running, endings } = await records.pushesTo(push, now, since);
    refuseFor('NOT_ME', (blockedUntil(endings, rules) - now.getTime()) / 1000);
    refuseFor('BACK_OFF', (backedOffUntil(endings, rules) - now.getTime()) / 1000);
    if (rules.running > 0 && running >= rules.running) refuseFor('RUNNING', RUNNING_RETRY);
  }

  return {
    async admit(push) {
      if (reads) await expectWelcome(push);
      // The relying party first: what it sends too much must not use up what others may send.
      refuseFor('RELYING_PARTY', await relyingParty.attempt(ofRelyingParty(push)));
      refuseFor('CITIZEN', await citizen.attempt(ofCitizen(push)));
    },
    async confirmed(push) {
      await Promise.all([
        relyingParty.takeBack(ofRelyingParty(push)),
        citizen.takeBack(ofCitizen(push)),
      ]);
    },
  };
}

const ofCitizen = ({ civilId }: Push) => `push ${civilId}`;
const ofRelyingParty = ({ civilId, relyingPartyId }: Push) => `push ${relyingPartyId} ${civilId}`;

/** Milliseconds since 1970; 0: not blocked. */
function blockedUntil(endings: readonly PushEnding[], { blockMs }: PushRules): number {
  const disowned = endings.find(({ endResult }) => endResult === notMe);
  return disowned === undefined ? 0 : Date.parse(disowned.completedAt) + blockMs;
}

/** Milliseconds since 1970. An unanswered push is no refusal: a phone without network must not be locked out. */
function backedOffUntil(endings: readonly PushEnding[], { backOffMs }: PushRules): number {
  const answered = endings.filter(({ endResult }) => endResult === 'OK' || isRefused(endResult));
  const accepted = answered.findIndex(({ endResult }) => endResult === 'OK');
  const refusals = accepted === -1 ? answered.length : accepted;
  const [last] = answered;
  if (refusals === 0 || last === undefined) return 0;
  const wait = Math.min(backOffMs * 2 ** (refusals - 1), LONGEST_BACK_OFF_MS);
  return Date.parse(last.completedAt) + wait;
}

function isRefused(endResult: string): boolean {
  return endResult.startsWith('USER_REFUSED') || endResult === 'WRONG_VC';
}
