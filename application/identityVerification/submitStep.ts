import type {
  VerificationFailure,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import type { BegunVerification } from '../../domain/identityVerification/identityVerification.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { countAttempt, limitReached, type NamedLimit, networkOf } from '../attempts.ts';
import { newEnrolmentToken } from '../citizen/enrolmentToken.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { CivilRecord } from '../ports/civilRegistry.ts';
import type { IdentityProvider, StepInputs, Verdict } from './ports/identityProvider.ts';
import {
  loadFor,
  requireMethod,
  tokenSecretOf,
  turnOf,
  type VerificationHolder,
} from './holder.ts';
import { type ReadVerificationDependencies, shown } from './readVerification.ts';
import type { VerificationView } from './verificationView.ts';

export interface SubmitStepDependencies extends ReadVerificationDependencies {
  readonly attemptLimits: AttemptLimits;
}

/** A step of one method. */
export type Step = {
  readonly [Method in VerificationMethod]: {
    readonly method: Method;
    readonly input: StepInputs[Method];
  };
}[VerificationMethod];

const attemptsForPerson: NamedLimit = {
  what: 'Too many attempts to verify this person were made from here.',
  setting: null,
};

/** Lifetime of an enrolment token, ms. */
const TOKEN_LIFE = 15 * 60_000;

/**
 * Makes one attempt with the person's input. The attempt is recorded before the check, its outcome after; a verified
 * identity gets its enrolment token at once, and a repetition the same token.
 *
 * @throws Refusal VERIFICATION_NOT_FOUND, VERIFICATION_ENDED, VERIFICATION_EXPIRED, VERIFICATION_METHOD_NOT_AVAILABLE,
 * INVALID_REQUEST for a step of another method, RATE_LIMITED after too many attempts for one person from one address
 * @throws Unavailable during an outage of an external system; the attempt does not count
 */
export async function submitStep(
  dependencies: SubmitStepDependencies,
  holder: VerificationHolder,
  step: Step,
  context: CommandContext,
): Promise<VerificationView> {
  const { providers } = dependencies;
  const before = await loadFor(dependencies, holder);
  requireMethod(before, step.method);
  if (before.status === 'VERIFIED') return shown(dependencies, before, { holder, context });
  // Erased on purpose: step and provider belong to the same method.
  const provider = providers[step.method] as IdentityProvider<VerificationMethod> | undefined;
  if (provider === undefined) throw new Refusal('VERIFICATION_METHOD_NOT_AVAILABLE');

  const attempt = await beginAttempt(dependencies, before, context);
  const judged = await judge(dependencies, {
    provider,
    holder,
    attempt,
    step,
    ip: context.ip,
  }).catch(async (error: unknown) => {
    const reason = notThePersonsFault(error);
    if (reason !== null) {
      await fail(dependencies, holder, { attempt, reason, counts: false }, context);
    }
    throw error;
  });
  const { state, record } =
    judged.outcome === 'FAILED'
      ? await fail(dependencies, holder, { ...judged, attempt, counts: true }, context)
      : await succeed(dependencies, holder, { ...judged, attempt }, context);
  return shown(dependencies, state, { holder, context, ...(record && { record }) });
}

async function beginAttempt(
  { verifications, clock }: SubmitStepDependencies,
  { started }: BegunVerification,
  context: CommandContext,
): Promise<number> {
  const now = clock.now().toISOString();
  const command = { type: 'BeginAttempt', started, now } as const;
  const { events } = await verifications.handle(started.verificationId, command, context);
  const begun = events.find((event) => event.type === 'IdentityVerificationAttempted');
  if (begun === undefined) throw new Error('Verification attempt missing after BeginAttempt.');
  return begun.data.attempt;
}

async function judge(
  { attemptLimits, clock }: SubmitStepDependencies,
  {
    provider,
    holder,
    attempt,
    step,
    ip,
  }: {
    readonly provider: IdentityProvider<VerificationMethod>;
    readonly holder: VerificationHolder;
    readonly attempt: number;
    readonly step: Step;
    readonly ip: string | null;
  },
): Promise<Verdict> {
  const counted: string[] = [];
  const countFor = async (person: string) => {
    // Counted per network, so that an anonymous caller elsewhere cannot lock the person out.
    const key = `${person} ${networkOf(ip ?? '')}`;
    const wait = await countAttempt(attemptLimits, key);
    if (wait > 0) throw limitReached(attemptsForPerson, wait, clock.now());
    counted.push(key);
  };
  const verdict = await provider.check(turnOf(holder, attempt - 1), step.input, countFor);
  if (verdict.outcome === 'IDENTIFIED') {
    for (const key of counted) await attemptLimits.succeeded(key);
  }
  return verdict;
}

/** Reason for not counting an attempt; null: it counts. */
function notThePersonsFault(error: unknown): VerificationFailure | null {
  if (isRefusal(error, 'RATE_LIMITED')) return 'LIMITED';
  return isRefusal(error) ? null : 'UNAVAILABLE';
}

interface Outcome {
  readonly state: BegunVerification;
  readonly record: CivilRecord | null;
}

async function fail(
  { verifications, clock }: SubmitStepDependencies,
  { verificationId }: VerificationHolder,
  failure: {
    readonly attempt: number;
    readonly reason: VerificationFailure;
    readonly counts: boolean;
  },
  context: CommandContext,
): Promise<Outcome> {
  const { attempt, reason, counts } = failure;
  const now = clock.now().toISOString();
  const command = { type: 'FailAttempt', attempt, reason, counts, now } as const;
  const { state } = await verifications.handle(verificationId, command, context);
  return outcome(state, null);
}

async function succeed(
  { verifications, clock }: SubmitStepDependencies,
  holder: VerificationHolder,
  found: {
    readonly attempt: number;
    readonly record: CivilRecord;
    readonly evidence: Readonly<Record<string, string>>;
  },
  context: CommandContext,
): Promise<Outcome> {
  const { attempt, record, evidence } = found;
  const { civilId } = record;
  const now = clock.now();
  const { state } = await verifications.handle(
    holder.verificationId,
    {
      type: 'SucceedAttempt',
      attempt,
      civilId,
      evidence,
      enrolmentTokenHash: sha256Hex(newEnrolmentToken(civilId, tokenSecretOf(holder))),
      now: now.toISOString(),
      tokenExpiresAt: new Date(now.getTime() + TOKEN_LIFE).toISOString(),
    },
    context,
  );
  return outcome(state, record);
}

function outcome(
  state: BegunVerification | { readonly status: 'NONE' },
  record: CivilRecord | null,
): Outcome {
  if (state.status === 'NONE') throw new Error('Verification attempt missing after BeginAttempt.');
  return { state, record };
}
