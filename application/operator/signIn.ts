import { operatorSubject } from '../../domain/operator/events.ts';
import { operatorByEmail, type OperatorRecord } from '../../domain/operator/operators.ts';
import { foldEmail } from '../../domain/operator/settings.ts';
import type { SignInStep } from '../../domain/operator/signInEvents.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { countAttempt, limitReached, type NamedLimit, networkOf } from '../attempts.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { Clock } from '../ports/clock.ts';
import type { OneTimeCodes } from './ports/oneTimeCodes.ts';
import type { PasswordHashing } from './ports/passwordHashing.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { IsFamiliarNetwork } from './familiarNetworks.ts';
import {
  type IssuedToken,
  type OperatorDirectory,
  operatorOf,
  type OperatorSessions,
  type OperatorTokens,
  type SecondFactors,
  type TokenClaims,
} from './operators.ts';
import type { SignInJournal } from './signInJournal.ts';

/** Rate limits of login attempts; each step counts against some of them. For IPv6 an address is a network. */
export interface SignInLimits {
  /** Passwords per address, for any operator. */
  readonly address: AttemptLimits;
  /** Passwords per e-mail and address. */
  readonly emailFromAddress: AttemptLimits;
  /** Passwords per e-mail, from any address but the operator's familiar ones. */
  readonly email: AttemptLimits;
  /** Codes per address. */
  readonly codeAddress: AttemptLimits;
  /** Codes and confirmed passwords per operator, after a right password. */
  readonly operator: AttemptLimits;
}

/** Outcome of an attempt, a label of the metric `logins_total`. */
export type SignInResult = 'OK' | 'FAILED' | 'THROTTLED';

export interface SignInDependencies extends OperatorSessions {
  readonly directory: OperatorDirectory;
  readonly secondFactors: SecondFactors;
  readonly passwords: PasswordHashing;
  readonly codes: OneTimeCodes;
  /** Null: operators cannot log in. */
  readonly tokens: OperatorTokens | null;
  readonly limits: SignInLimits;
  readonly isFamiliarNetwork: IsFamiliarNetwork;
  readonly journal: SignInJournal;
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt' | 'blindIndex'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** False while a restored backup is not accepted: who had no authenticator in it may have one since. Default: true. */
  readonly mayEnrol?: () => boolean;
  readonly onResult: (step: SignInStep, result: SignInResult) => void;
}

/** A logged-in operator's token, or one for the second step. */
export interface SignInAnswer extends IssuedToken {
  /** Enrolment of an authenticator; null when the operator has one. */
  readonly enrolment: { readonly uri: string; readonly secret: string } | null;
}

/**
 * First step: e-mail and password give a token for the second step, valid for five minutes. Response and effort are the
 * same whichever of the two is wrong.
 *
 * @throws Refusal SIGN_IN_FAILED, RATE_LIMITED, SIGN_IN_DISABLED; PERMISSION_DENIED where no authenticator may be enrolled
 */
export async function signIn(
  dependencies: SignInDependencies,
  { email, password }: { readonly email: string; readonly password: string },
  context: CommandContext,
): Promise<SignInAnswer> {
  const { directory, passwords, journal, limits, isFamiliarNetwork, onResult } = dependencies;
  const tokens = enabled(dependencies);
  const operator = operatorByEmail(await directory.current(), email);
  const operatorId = operator?.operatorId ?? null;
  const name = dependencies.vault.blindIndex('operator-email', foldEmail(email));
  const from = networkOf(context.ip ?? '');
  await admit(dependencies, { operatorId, step: 'PASSWORD' }, context, [
    [limits.address, `operator-address ${from}`],
    [limits.emailFromAddress, `operator-email ${name} ${from}`],
    [
      limits.email,
      `operator-email ${name}`,
      () => (operatorId === null ? Promise.resolve(false) : isFamiliarNetwork(operatorId, from)),
    ],
  ]);
  const isRight = await passwords.verify(password, operator?.passwordHash ?? null);
  if (operator?.active !== true || !isRight) {
    const reason = failureReason(operator, isRight);
    journal.failed({ operatorId, step: 'PASSWORD', reason }, context);
    onResult('PASSWORD', 'FAILED');
    throw new Refusal('SIGN_IN_FAILED');
  }
  expectMayEnrol(dependencies, operator);
  await rehashIfOutdated(dependencies, operator, password, context);
  const acceptedAt = dependencies.clock.now().toISOString();
  const data = { operatorId: operator.operatorId, acceptedAt };
  await journal.record({ type: 'PasswordAccepted', data }, actingAs(operator, context));
  // Only this attempt: an account of the attacker's own must not begin the count anew.
  await limits.address.takeBack(`operator-address ${from}`);
  await limits.emailFromAddress.succeeded(`operator-email ${name} ${from}`);
  onResult('PASSWORD', 'OK');
  return askForCode(dependencies, tokens, operator);
}

/** @throws Refusal PERMISSION_DENIED */
function expectMayEnrol(
  { mayEnrol = () => true }: SignInDependencies,
  { secondFactor }: OperatorRecord,
): void {
  if (secondFactor !== null || mayEnrol()) return;
  throw new Refusal('PERMISSION_DENIED', {
    detail:
      'The installation was restored from a backup that is not accepted yet. Sign in as an operator who had an authenticator at the time of the backup.',
  });
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
  // The token contains the secret, a new one each time: nothing is stored, and knowing the first password does not
  // reveal a secret that somebody else confirms.
  const secret = codes.newSecret();
  const encrypted = await vault.encrypt(operatorSubject({ operatorId }), secret);
  const enrolment = { uri: codes.enrolmentUri(secret, email), secret };
  return { ...tokens.issue({ ...claims, enrolment: encrypted }), enrolment };
}

/** A session; restricted while the password must be changed. */
export interface SignedIn extends IssuedToken {
  readonly operator: OperatorRecord;
}

/**
 * Second step: an authenticator's code gives a session, valid for an hour. On the first login the right code enrols the
 * authenticator. A code is accepted once, over all processes.
 *
 * @param token of the scope `mfa`
 * @throws Refusal UNAUTHENTICATED, SECOND_FACTOR_WRONG, RATE_LIMITED, SIGN_IN_DISABLED
 */
export async function confirmSecondFactor(
  dependencies: SignInDependencies,
  { token, code }: { readonly token: string; readonly code: string },
  context: CommandContext,
): Promise<SignedIn> {
  const { journal, limits, onResult } = dependencies;
  const tokens = enabled(dependencies);
  const claims = tokens.read(token, 'mfa');
  const operator = claims === null ? undefined : await operatorOf(dependencies, claims);
  // Another epoch means the password has changed since, even where the session continues.
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
  await limits.codeAddress.takeBack(keys[0]);
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
    enrolment === null ? null : await vault.decrypt(operatorSubject({ operatorId }), enrolment);
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

/** A limit, its key, and the exception from it, asked only when the limit is reached. */
type Counted = readonly [limit: AttemptLimits, key: string, isExcepted?: () => Promise<boolean>];

/** The same whichever limit it was: it must not tell which e-mails are known. */
const attemptsOf: Readonly<Record<SignInStep, NamedLimit>> = {
  PASSWORD: {
    what: 'Too many passwords were tried from this address or for this account.',
    setting: 'SVC_ADMIN_ATTEMPTS_PER_ADDRESS',
  },
  SECOND_FACTOR: {
    what: 'Too many codes were tried from this address or for this account.',
    setting: 'SVC_ADMIN_ATTEMPTS_PER_ADDRESS',
  },
};

/** Counts the attempt against every limit. @throws Refusal RATE_LIMITED */
async function admit(
  { journal, onResult, clock }: SignInDependencies,
  attempt: { readonly operatorId: string | null; readonly step: SignInStep },
  context: CommandContext,
  limits: readonly Counted[],
): Promise<void> {
  for (const [limit, key, isExcepted] of limits) {
    const seconds = await countAttempt(limit, key);
    if (seconds === 0 || (await isExcepted?.()) === true) continue;
    journal.throttled(attempt, { key, seconds }, context);
    onResult(attempt.step, 'THROTTLED');
    throw limitReached(attemptsOf[attempt.step], seconds, clock.now());
  }
}

function enabled({ tokens }: SignInDependencies): OperatorTokens {
  if (tokens === null) throw new Refusal('SIGN_IN_DISABLED');
  return tokens;
}

function actingAs({ operatorId }: OperatorRecord, context: CommandContext): CommandContext {
  return { ...context, actor: { kind: 'operator', id: operatorId } };
}
