import {
  operatorByEmail,
  type OperatorCommand,
  type OperatorRecord,
} from '../../domain/operator/operators.ts';
import { longestEmail, type OperatorSettings, settingsIn } from '../../domain/operator/settings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHashing } from './ports/passwordHashing.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { OperatorDirectory } from './operators.ts';
import { expectPassword } from './password.ts';

export interface OperatorAdministrationDependencies {
  readonly directory: OperatorDirectory;
  readonly passwords: PasswordHashing;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

export interface NewOperator extends OperatorSettings {
  readonly password: string;
  readonly mustChangePassword: boolean;
}

/** @throws Refusal OPERATOR_EMAIL_TAKEN, INVALID_REQUEST */
export async function addOperator(
  dependencies: OperatorAdministrationDependencies,
  wanted: NewOperator,
  context: CommandContext,
): Promise<OperatorRecord> {
  const { directory, randomness } = dependencies;
  // Checked before the costly hash; the append decides.
  if (operatorByEmail(await directory.current(), wanted.email) !== undefined) {
    throw new Refusal('OPERATOR_EMAIL_TAKEN');
  }
  const operatorId = randomness.uuid();
  const { state } = await directory.handle(
    await addition(dependencies, operatorId, wanted, false),
    context,
  );
  return expectOperator(state.get(operatorId));
}

/** Adds the configured first operator unless the e-mail is taken. Later changes persist, deactivation included. */
export async function seedOperator(
  dependencies: OperatorAdministrationDependencies,
  seed: Omit<NewOperator, 'mustChangePassword'>,
  context: CommandContext,
): Promise<void> {
  const { directory, randomness } = dependencies;
  if (operatorByEmail(await directory.current(), seed.email) !== undefined) return;
  const wanted = { ...seed, mustChangePassword: true };
  await directory.handle(await addition(dependencies, randomness.uuid(), wanted, true), context);
}

async function addition(
  { passwords, clock }: OperatorAdministrationDependencies,
  operatorId: string,
  { password, mustChangePassword, ...wanted }: NewOperator,
  unlessKnown: boolean,
): Promise<OperatorCommand> {
  expectEmail(wanted.email);
  expectPassword(password, '/password');
  const passwordHash = await passwords.hash(password);
  const now = clock.now().toISOString();
  const settings = settingsIn(wanted);
  const type = 'AddOperator';
  return { type, operatorId, ...settings, passwordHash, mustChangePassword, unlessKnown, now };
}

/** Checks the syntax only: deliverability cannot be derived from it. */
function expectEmail(email: string): void {
  if (/^[^\s@]+@[^\s@]+$/.test(email.trim()) && email.length <= longestEmail) return;
  const detail = 'An e-mail address.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/email', detail }] });
}

/** @throws Refusal OPERATOR_NOT_FOUND, LAST_SUPER_ADMIN */
export async function deactivateOperator(
  { directory, clock }: Pick<OperatorAdministrationDependencies, 'directory' | 'clock'>,
  operatorId: string,
  context: CommandContext,
): Promise<void> {
  const now = clock.now().toISOString();
  await directory.handle({ type: 'DeactivateOperator', operatorId, now }, context);
}

/**
 * Resets password and authenticator of an operator who lost them; ends all their sessions.
 *
 * @throws Refusal OPERATOR_NOT_FOUND, CONFLICT for a deactivated operator, INVALID_REQUEST
 */
export async function resetOperator(
  { directory, passwords, clock }: OperatorAdministrationDependencies,
  { operatorId, password }: { readonly operatorId: string; readonly password: string },
  context: CommandContext,
): Promise<void> {
  expectPassword(password, '/password');
  const passwordHash = await passwords.hash(password);
  const about = { operatorId, now: clock.now().toISOString() };
  const reset = { confirmed: null, passwordHash, sessionId: null };
  await directory.handle({ type: 'ChangePassword', ...about, ...reset }, context);
  await directory.handle({ type: 'ResetSecondFactor', ...about }, context);
}

/** @throws Refusal OPERATOR_NOT_FOUND */
export function expectOperator(operator: OperatorRecord | undefined): OperatorRecord {
  if (operator === undefined) throw new Refusal('OPERATOR_NOT_FOUND');
  return operator;
}
