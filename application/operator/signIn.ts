import { operatorSubject } from '../../domain/operator/events.ts';
import {
  foldEmail,
  operatorByEmail,
  type OperatorRecord,
} from '../../domain/operator/operators.ts';
import type { SignInStep } from '../../domain/operator/signInEvents.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { networkOf } from '../audit/strangers.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { Clock } from '../ports/clock.ts';
import type { OneTimeCodes } from '../ports/oneTimeCodes.ts';
import type { PasswordHashing } from '../ports/passwordHashing.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { OperatorDirectory, SecondFactors } from './operators.ts';
import { operatorOf } from './sessions.ts';
import type { IssuedToken, OperatorTokens, TokenClaims } from './sessionTokens.ts';
import type { SignInJournal } from './signInJournal.ts';

/** How often somebody may try; which of them counts depends on what is tried. An address is an IPv6 network, too. */
export interface SignInLimits {
  /** Passwords from one address, whoever's. */
  readonly address: AttemptLimits;
  /** Passwords for one e-mail from one address. */
  readonly emailFromAddress: AttemptLimits;
  /** Passwords for one e-mail from everywhere. */
  readonly email: AttemptLimits;
  /** Codes from one address. */
  readonly codeAddress: AttemptLimits;
  /** Codes and confirmed passwords of one operator who gave the right password before. */
  readonly operator: AttemptLimits;
}

/** How an attempt ended, as the metric `logins_total` has it. */
export type SignInResult = 'OK' | 'FAILED' | 'THROTTLED';

export interface SignInDependencies {
  readonly directory: OperatorDirectory;
  readonly secondFactors: SecondFactors;
  readonly passwords: PasswordHashing;
  readonly codes: OneTimeCodes;
  /** Null: operators cannot sign in. */
  readonly tokens: OperatorTokens | null;
  readonly limits: SignInLimits;
  readonly journal: SignInJournal;
  readonly vault: Pick<PersonalDataVault, 'seal' | 'open' | 'blindIndex'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onResult: (step: SignInStep, result: SignInResult) => void;
}

/** A signed-in operator's token, or one to bring the code with. */
export interface SignInAnswer extends IssuedToken {
  /** What an authenticator is set up with; null when the operator has one. */
  readonly enrolment: { readonly uri: string; readonly secret: string } | null;
}

/**
 * First step: e-mail and password give a token that is good for bringing a code, five minutes long. Whichever of the two
 * is wrong, the answer and the work for it are the same.
 *
 * @throws Refusal SIGN_IN_FAILED, RATE_LIMITED, SIGN_IN_DISABLED
 */
export async function signIn(
  dependencies: SignInDependencies,
  { email, password }: { readonly email: string; readonly password: string },
  context: CommandContext,
): Promise<SignInAnswer> {
  const { directory, passwords, journal, limits, onResult } = dependencies;
  const tokens = enabled(dependencies);
  const operator = operatorByEmail(await directory.current(), email);
  const operatorId = operator?.operatorId ?? null;
  const name = dependencies.vault.blindIndex('operator-email', foldEmail(email));
  const from = networkOf(context.ip ?? '');
  await admit(dependencies, { operatorId, step: 'PASSWORD' }, context, [
    [limits.address, `operator-address ${from}`],
    [limits.emailFromAddress, `operator-email ${name} ${from}`],
    [limits.email, `operator-email ${name}`],
  ]);
  const isRight = await passwords.verify(password, operator?.passwordHash ?? null);
  if (operator?.active !== true || !isRight) {
    const reason = failureReason(operator, isRight);
    journal.failed({ operatorId, step: 'PASSWORD', reason }, context);
    onResult('PASSWORD', 'FAILED');
    throw new Refusal('SIGN_IN_FAILED');
  }
  await limits.address.succeeded(`operator-address ${from}`);
  await limits.emailFromAddress.succeeded(`operator-email ${name} ${from}`);
  await rehashIfOutdated(dependencies, operator, password, context);
  const acceptedAt = dependencies.clock.now().toISOString();
  const data = { operatorId: operator.operatorId, acceptedAt };
  await journal.record({ type: 'PasswordAccepted', data }, actingAs(operator, context));
  onResult('PASSWORD', 'OK');
  return askForCode(dependencies, tokens, operator);
}

function failureReason(operator: OperatorRecord | undefined, isRight: boolean) {
  if (operator === undefined) return 'UNKNOWN';
  return isRight ? 'DEACTIVATED' : 'WRONG';
}

async function rehashIfOutdated(
  { directory, passwords, clock }: SignInDependencies,
  operator: OperatorRecord,
  password: string,
  context: CommandContext,
): Promise<void> {
  const { operatorId, passwordHash: confirmed } = operator;
  if (!passwords.isOutdated(confirmed)) return;
  const passwordHash = await passwords.hash(password);
  const now = clock.now().toISOString();
  const command = { type: 'RehashPassword', operatorId, confirmed, passwordHash, now } as const;
  await directory.handle(command, actingAs(operator, context));
}

async function askForCode(
  { codes, vault, randomness }: SignInDependencies,
  tokens: OperatorTokens,
  { operatorId, email, epoch, secondFactor }: OperatorRecord,
): Promise<SignInAnswer> {
  const claims = { scope: 'mfa', operatorId, sessionId: randomness.uuid(), epoch } as const;
  if (secondFactor !== null) {
    return { ...tokens.issue({ ...claims, enrolment: null }), enrolment: null };
  }
  // The token carries the secret, another one each time: nothing is kept, and nobody who knows the first password can
  // learn a secret that somebody else confirms.
  const secret = codes.newSecret();
  const sealed = await vault.seal(operatorSubject({ operatorId }), secret);
  const enrolment = { uri: codes.enrolmentUri(secret, email), secret };
  return { ...tokens.issue({ ...claims, enrolment: sealed }), enrolment };
}

/** A session, and whether it is good for more than a new password. */
export interface SignedIn extends IssuedToken {
  readonly operator: OperatorRecord;
}

/**
 * Second step: the code of an authenticator gives a session, an hour long. On the first sign-in the right code enrols
 * the authenticator. A code counts once, whichever process it is brought to.
 *
 * @param token of the scope `mfa`
 * @throws Refusal UNAUTHENTICATED, SECOND_FACTOR_WRONG, RATE_LIMITED, SIGN_IN_DISABLED
 */
export async function confirmSecondFactor(
  dependencies: SignInDependencies,
  { token, code }: { readonly token: string; readonly code: string },
  context: CommandContext,
): Promise<SignedIn> {
  const { directory, journal, limits, onResult } = dependencies;
  const tokens = enabled(dependencies);
  const claims = tokens.read(token, 'mfa');
  const operator = claims === null ? undefined : await operatorOf(directory, claims);
  // Of another epoch is a token whose password is no longer the one, also where its session goes on.
  if (claims === null || operator?.epoch !== claims.epoch) throw new Refusal('UNAUTHENTICATED');
  const { operatorId, epoch } = operator;
  const keys = [
    `operator-code-address ${networkOf(context.ip ?? '')}`,
    `operator-code ${operatorId}`,
  ] as const;
  await admit(dependencies, { operatorId, step: 'SECOND_FACTOR' }, context, [
    [limits.codeAddress, keys[0]],
    [limits.operator, keys[1]],
  ]);
  const result = await useCode(dependencies, claims, { operator, code }, context);
  if (result !== 'OK') {
    journal.failed({ operatorId, step: 'SECOND_FACTOR', reason: result }, context);
    onResult('SECOND_FACTOR', 'FAILED');
    throw new Refusal('SECOND_FACTOR_WRONG');
  }
  await limits.codeAddress.succeeded(keys[0]);
  await limits.operator.succeeded(keys[1]);
  onResult('SECOND_FACTOR', 'OK');
  const { sessionId } = claims;
  const session = { scope: 'session', operatorId, sessionId, epoch, enrolment: null } as const;
  return { ...tokens.issue(session), operator };
}

async function useCode(
  { directory, secondFactors, codes, vault, clock }: SignInDependencies,
  { operatorId, sessionId, epoch, enrolment }: TokenClaims,
  { operator, code }: { readonly operator: OperatorRecord; readonly code: string },
  context: CommandContext,
): Promise<'OK' | 'WRONG' | 'REPLAYED'> {
  const { secondFactor } = operator;
  const offered =
    enrolment === null ? null : await vault.open(operatorSubject({ operatorId }), enrolment);
  const secret = secondFactor?.secret ?? offered;
  const now = clock.now();
  const counter = secret === null ? null : codes.counterOf(secret, code, now);
  if (secret === null || counter === null) return 'WRONG';
  const use = { operatorId, counter, sessionId, now: now.toISOString() };
  const by = actingAs(operator, context);
  try {
    if (secondFactor === null) {
      await directory.handle({ type: 'EnrolSecondFactor', ...use, secret, epoch }, by);
    } else {
      const { enrolledWith } = secondFactor;
      await secondFactors.handle(operatorId, { type: 'UseSecondFactor', ...use, enrolledWith }, by);
    }
    return 'OK';
  } catch (error) {
    if (isRefusal(error, 'SECOND_FACTOR_WRONG')) return 'REPLAYED';
    throw error;
  }
}

/** Counts the attempt in every limit. @throws Refusal RATE_LIMITED */
async function admit(
  { journal, onResult }: SignInDependencies,
  attempt: { readonly operatorId: string | null; readonly step: SignInStep },
  context: CommandContext,
  limits: readonly (readonly [AttemptLimits, key: string])[],
): Promise<void> {
  for (const [limit, key] of limits) {
    const seconds = await limit.attempt(key);
    if (seconds === 0) continue;
    journal.throttled(attempt, { key, seconds }, context);
    onResult(attempt.step, 'THROTTLED');
    throw new Refusal('RATE_LIMITED', { retryAfterSeconds: seconds });
  }
}

function enabled({ tokens }: SignInDependencies): OperatorTokens {
  if (tokens === null) throw new Refusal('SIGN_IN_DISABLED');
  return tokens;
}

function actingAs({ operatorId }: OperatorRecord, context: CommandContext): CommandContext {
  return { ...context, actor: { kind: 'operator', id: operatorId } };
}
