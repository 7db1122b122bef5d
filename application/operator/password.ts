import type { OperatorRecord } from '../../domain/operator/operators.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { countAttempt, limitReached, type NamedLimit } from '../attempts.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHashing } from './ports/passwordHashing.ts';
import type { OperatorDirectory } from './operators.ts';
import type { SignInJournal } from './signInJournal.ts';

/** Characters (specification, Limits). */
export const shortestPassword = 8;
/** Characters; bounds the cost of hashing. */
export const longestPassword = 256;

const passwordAttempts: NamedLimit = {
  what: 'Too many wrong current passwords were entered.',
  setting: null,
};

/** @throws Refusal INVALID_REQUEST pointing at `pointer` */
export function expectPassword(password: string, pointer: string): void {
  const length = Array.from(password).length;
  if (length >= shortestPassword && length <= longestPassword) return;
  const detail = `${shortestPassword} to ${longestPassword} characters.`;
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer, detail }] });
}

export interface ChangePasswordDependencies {
  readonly directory: Pick<OperatorDirectory, 'handle'>;
  readonly passwords: PasswordHashing;
  /** Attempts to confirm a password, per operator. */
  readonly limit: AttemptLimits;
  readonly journal: Pick<SignInJournal, 'failed'>;
  readonly clock: Clock;
}

export interface NewPassword {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** The session of the change, which continues. */
  readonly sessionId: string;
}

/**
 * Changes an operator's own password; ends their other sessions.
 *
 * @throws Refusal CURRENT_PASSWORD_WRONG, RATE_LIMITED, INVALID_REQUEST
 */
export async function changePassword(
  { directory, passwords, limit, journal, clock }: ChangePasswordDependencies,
  { operatorId, passwordHash: confirmed }: OperatorRecord,
  { currentPassword, newPassword, sessionId }: NewPassword,
  context: CommandContext,
): Promise<void> {
  expectPassword(newPassword, '/newPassword');
  if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC')) {
    const detail = 'Choose a password that differs from the current one.';
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/newPassword', detail }] });
  }
  const key = `operator-password ${operatorId}`;
  const wait = await countAttempt(limit, key);
  if (wait > 0) throw limitReached(passwordAttempts, wait, clock.now());
  if (!(await passwords.verify(currentPassword, confirmed))) {
    journal.failed({ operatorId, step: 'PASSWORD', reason: 'WRONG' }, context);
    throw new Refusal('CURRENT_PASSWORD_WRONG');
  }
  const passwordHash = await passwords.hash(newPassword);
  const now = clock.now().toISOString();
  await directory.handle(
    { type: 'ChangePassword', operatorId, confirmed, passwordHash, sessionId, now },
    context,
  );
  await limit.succeeded(key);
}
