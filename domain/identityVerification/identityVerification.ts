import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type {
  IdentityVerificationEvent,
  IdentityVerificationStarted,
  IdentityVerificationSucceeded,
  VerificationFailure,
} from './events.ts';

// State

interface Begun {
  readonly started: Started;
  /** Attempts so far. */
  readonly attempts: number;
  /** Attempts without an outcome, by number, and the moment each began. */
  readonly open: ReadonlyMap<number, string>;
  /** Failed attempts that count. */
  readonly failures: number;
  /** Reason of the last failed attempt; null: none. */
  readonly lastFailure: VerificationFailure | null;
}

export type IdentityVerification =
  | { readonly status: 'NONE' }
  | (Begun & { readonly status: 'PENDING' | 'EXHAUSTED' | 'EXPIRED' | 'CANCELLED' })
  | (Begun & { readonly status: 'VERIFIED'; readonly succeeded: SucceededData });

type Started = IdentityVerificationStarted['data'];
type SucceededData = IdentityVerificationSucceeded['data'];

/** A started one. */
export type BegunVerification = Exclude<IdentityVerification, { status: 'NONE' }>;

/** Status of a started verification. */
export const verificationStatuses = [
  'PENDING',
  'VERIFIED',
  'EXHAUSTED',
  'EXPIRED',
  'CANCELLED',
] as const satisfies readonly BegunVerification['status'][];

export type VerificationStatus = BegunVerification['status'];

const initial: IdentityVerification = { status: 'NONE' };

function evolve(
  verification: IdentityVerification,
  event: IdentityVerificationEvent,
): IdentityVerification {
  if (event.type === 'IdentityVerificationStarted') return unrecorded(event.data);
  return verification.status === 'NONE' ? verification : change(verification, event);
}

/** A started verification; it has no event before its first attempt. */
export function unrecorded(started: Started): BegunVerification {
  const none = { attempts: 0, open: new Map<number, string>(), failures: 0, lastFailure: null };
  return { status: 'PENDING', started, ...none };
}

function change(
  verification: BegunVerification,
  event: Exclude<IdentityVerificationEvent, IdentityVerificationStarted>,
): IdentityVerification {
  switch (event.type) {
    case 'IdentityVerificationAttempted': {
      const { attempt, attemptedAt } = event.data;
      const open = new Map(verification.open).set(attempt, attemptedAt);
      return { ...verification, attempts: attempt, open };
    }
    case 'IdentityVerificationAttemptFailed': {
      const { attempt, reason, counts } = event.data;
      const open = new Map(verification.open);
      open.delete(attempt);
      const failures = verification.failures + (counts ? 1 : 0);
      return { ...verification, open, failures, lastFailure: reason };
    }
    case 'IdentityVerificationSucceeded':
      return { ...verification, status: 'VERIFIED', succeeded: event.data };
    case 'IdentityVerificationExhausted':
      return { ...verification, status: 'EXHAUSTED' };
    case 'IdentityVerificationExpired':
      return { ...verification, status: 'EXPIRED' };
    case 'IdentityVerificationCancelled':
      return { ...verification, status: 'CANCELLED' };
    default:
      return unreachable(event);
  }
}

/** Longest an attempt is judged, ms: one without an outcome by then failed on our side, and told nobody anything. */
const LONGEST_JUDGEMENT_MS = 60_000;

/** Number of attempts left at `now`, ISO 8601. */
export function attemptsLeft({ started, open, failures }: BegunVerification, now: string): number {
  const since = Date.parse(now) - LONGEST_JUDGEMENT_MS;
  const judged = [...open.values()].filter((begunAt) => Date.parse(begunAt) > since).length;
  return Math.max(0, started.attemptsAllowed - failures - judged);
}

// Commands

export type IdentityVerificationCommand =
  | { readonly type: 'BeginAttempt'; readonly started: Started; readonly now: string }
  | {
      readonly type: 'FailAttempt';
      readonly attempt: number;
      readonly reason: VerificationFailure;
      readonly counts: boolean;
      readonly now: string;
    }
  | {
      readonly type: 'SucceedAttempt';
      readonly attempt: number;
      readonly civilId: string;
      readonly evidence: Readonly<Record<string, string>>;
      readonly enrolmentTokenHash: string;
      readonly now: string;
      readonly tokenExpiresAt: string;
    }
  | { readonly type: 'ExpireVerification'; readonly now: string }
  | { readonly type: 'CancelVerification'; readonly started: Started; readonly now: string };

type Command<Type extends IdentityVerificationCommand['type']> = Extract<
  IdentityVerificationCommand,
  { type: Type }
>;

// Decisions

function decide(
  command: IdentityVerificationCommand,
  verification: IdentityVerification,
): readonly IdentityVerificationEvent[] {
  if (verification.status !== 'NONE') return decideStarted(command, verification);
  if (!('started' in command)) throw new Refusal('VERIFICATION_NOT_FOUND');
  const started = { type: 'IdentityVerificationStarted', data: command.started } as const;
  return [started, ...decideStarted(command, unrecorded(command.started))];
}

function decideStarted(
  command: IdentityVerificationCommand,
  verification: BegunVerification,
): readonly IdentityVerificationEvent[] {
  switch (command.type) {
    case 'BeginAttempt':
      return beginAttempt(command, verification);
    case 'FailAttempt':
      return failAttempt(command, verification);
    case 'SucceedAttempt':
      return succeedAttempt(command, verification);
    case 'ExpireVerification':
      return verification.status === 'PENDING' && isOver(verification, command.now)
        ? [{ type: 'IdentityVerificationExpired', data: { expiredAt: command.now } }]
        : [];
    case 'CancelVerification':
      return verification.status === 'PENDING'
        ? [{ type: 'IdentityVerificationCancelled', data: { cancelledAt: command.now } }]
        : [];
    default:
      return unreachable(command);
  }
}

function beginAttempt(
  { now }: Command<'BeginAttempt'>,
  verification: BegunVerification,
): readonly IdentityVerificationEvent[] {
  requireOpen(verification, now);
  if (attemptsLeft(verification, now) === 0) throw new Refusal('VERIFICATION_ENDED');
  const attempt = verification.attempts + 1;
  return [{ type: 'IdentityVerificationAttempted', data: { attempt, attemptedAt: now } }];
}

function failAttempt(
  { attempt, reason, counts, now }: Command<'FailAttempt'>,
  verification: BegunVerification,
): readonly IdentityVerificationEvent[] {
  if (verification.status !== 'PENDING') return [];
  const failed: IdentityVerificationEvent = {
    type: 'IdentityVerificationAttemptFailed',
    data: { attempt, reason, counts, failedAt: now },
  };
  const isLast = counts && verification.failures + 1 >= verification.started.attemptsAllowed;
  return isLast
    ? [failed, { type: 'IdentityVerificationExhausted', data: { exhaustedAt: now } }]
    : [failed];
}

function succeedAttempt(
  command: Command<'SucceedAttempt'>,
  verification: BegunVerification,
): readonly IdentityVerificationEvent[] {
  const { attempt, civilId, evidence, enrolmentTokenHash, now: verifiedAt } = command;
  // The token is derived from the person: two attempts for the same person yield the same one.
  const isKnown =
    verification.status === 'VERIFIED' &&
    verification.succeeded.enrolmentTokenHash === enrolmentTokenHash;
  if (isKnown) return [];
  requireOpen(verification, verifiedAt);
  const { tokenExpiresAt } = command;
  return [
    {
      type: 'IdentityVerificationSucceeded',
      data: { attempt, civilId, evidence, enrolmentTokenHash, verifiedAt, tokenExpiresAt },
    },
  ];
}

function requireOpen(verification: BegunVerification, now: string): void {
  if (verification.status !== 'PENDING') throw new Refusal('VERIFICATION_ENDED');
  if (isOver(verification, now)) throw new Refusal('VERIFICATION_EXPIRED');
}

function isOver({ started }: BegunVerification, now: string): boolean {
  return now >= started.expiresAt;
}

/** The identity verification aggregate: attempts, one outcome, time. Stream `identityVerification-<uuid>`. */
export const identityVerificationDecider: Decider<
  IdentityVerification,
  IdentityVerificationCommand,
  IdentityVerificationEvent
> = { initial, evolve, decide };
