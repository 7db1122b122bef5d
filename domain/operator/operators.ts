import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import { hasCapability, type OperatorRole } from './capabilities.ts';
import type { OperatorEvent } from './events.ts';
import { foldEmail, type OperatorSettings, usableSettings } from './settings.ts';

// State

/** An enrolled authenticator. */
export interface SecondFactor {
  /** Base32. */
  readonly secret: string;
  /** RFC 6238 counter of the enrolment: that code and earlier ones are used up. */
  readonly enrolledWith: number;
}

export interface OperatorRecord extends OperatorSettings {
  readonly operatorId: string;
  readonly passwordHash: string;
  readonly active: boolean;
  readonly mustChangePassword: boolean;
  /** Null until the first login. */
  readonly secondFactor: SecondFactor | null;
  /** Incremented when sessions are ended: those of another epoch are invalid. */
  readonly epoch: number;
  /** The only session of an earlier epoch that stays valid. */
  readonly keptSession: string | null;
  readonly addedAt: string;
  readonly deactivatedAt: string | null;
}

/** All operators by id, in the order of creation; never removed. */
export type Operators = ReadonlyMap<string, OperatorRecord>;

const initial: Operators = new Map();

function evolve(operators: Operators, event: OperatorEvent): Operators {
  const { operatorId } = event.data;
  if (event.type === 'OperatorAdded') {
    return new Map(operators).set(operatorId, {
      ...event.data,
      active: true,
      secondFactor: null,
      epoch: 0,
      keptSession: null,
      deactivatedAt: null,
    });
  }
  const known = operators.get(operatorId);
  if (known === undefined) return operators;
  return new Map(operators).set(operatorId, { ...known, ...change(known, event) });
}

function change(
  { epoch }: OperatorRecord,
  event: Exclude<OperatorEvent, { type: 'OperatorAdded' }>,
): Partial<OperatorRecord> {
  switch (event.type) {
    case 'OperatorRoleChanged':
      return { role: event.data.to };
    case 'OperatorDeactivated':
      return { active: false, deactivatedAt: event.data.deactivatedAt };
    case 'PasswordChanged': {
      const { passwordHash, mustChangePassword, sessionId } = event.data;
      return { passwordHash, mustChangePassword, epoch: epoch + 1, keptSession: sessionId };
    }
    case 'PasswordRehashed':
      return { passwordHash: event.data.passwordHash };
    case 'SecondFactorEnrolled': {
      const { secret, counter } = event.data;
      return { secondFactor: { secret, enrolledWith: counter } };
    }
    case 'SecondFactorReset':
      return { secondFactor: null, epoch: epoch + 1, keptSession: null };
    default:
      return unreachable(event);
  }
}

/** The operator with an e-mail, active or not. */
export function operatorByEmail(operators: Operators, email: string): OperatorRecord | undefined {
  const wanted = foldEmail(email);
  for (const operator of operators.values()) if (operator.email === wanted) return operator;
  return undefined;
}

/** Ids of the active operators with `admin:manage`. */
export function administratorsOf(operators: Operators): readonly string[] {
  return [...operators.values()]
    .filter(({ active, role }) => active && hasCapability(role, 'admin:manage'))
    .map(({ operatorId }) => operatorId);
}

// Commands

interface About {
  readonly operatorId: string;
  readonly now: string;
}

export type OperatorCommand =
  | (About &
      OperatorSettings & {
        readonly type: 'AddOperator';
        readonly passwordHash: string;
        readonly mustChangePassword: boolean;
        /** True to do nothing when an operator has the e-mail already. */
        readonly unlessKnown: boolean;
      })
  | (About & { readonly type: 'ChangeRole'; readonly role: OperatorRole })
  | (About & { readonly type: 'DeactivateOperator' })
  | (About & {
      readonly type: 'ChangePassword';
      /** Hash the current password was confirmed with; null when set by another operator. */
      readonly confirmed: string | null;
      readonly passwordHash: string;
      readonly sessionId: string | null;
    })
  | (About & {
      readonly type: 'RehashPassword';
      readonly confirmed: string;
      readonly passwordHash: string;
    })
  | (About & {
      readonly type: 'EnrolSecondFactor';
      readonly secret: string;
      readonly counter: number;
      readonly sessionId: string;
      /** Epoch in which the password was confirmed. */
      readonly epoch: number;
    })
  | (About & { readonly type: 'ResetSecondFactor' });

type CommandOf<Type extends OperatorCommand['type']> = Extract<OperatorCommand, { type: Type }>;

// Decisions

function decide(command: OperatorCommand, operators: Operators): readonly OperatorEvent[] {
  switch (command.type) {
    case 'AddOperator':
      return add(command, operators);
    case 'ChangeRole':
      return changeRole(command, operators);
    case 'DeactivateOperator':
      return deactivate(command, operators);
    case 'ChangePassword':
      return changePassword(command, operators);
    case 'RehashPassword':
      return rehashPassword(command, operators);
    case 'EnrolSecondFactor':
      return enrolSecondFactor(command, operators);
    case 'ResetSecondFactor':
      return resetSecondFactor(command, operators);
    default:
      return unreachable(command);
  }
}

function add(
  {
    operatorId,
    passwordHash,
    mustChangePassword,
    unlessKnown,
    now,
    ...wanted
  }: CommandOf<'AddOperator'>,
  operators: Operators,
): readonly OperatorEvent[] {
  if (operatorByEmail(operators, wanted.email) !== undefined) {
    if (unlessKnown) return [];
    throw new Refusal('OPERATOR_EMAIL_TAKEN');
  }
  const { email, ...others } = usableSettings(wanted);
  const data = { operatorId, email, passwordHash, ...others, mustChangePassword, addedAt: now };
  return [{ type: 'OperatorAdded', data }];
}

function changeRole(
  { operatorId, role, now }: CommandOf<'ChangeRole'>,
  operators: Operators,
): readonly OperatorEvent[] {
  const operator = activeOperator(operators, operatorId);
  if (operator.role === role) return [];
  expectAnotherSuperAdmin(operators, operator);
  const data = { operatorId, from: operator.role, to: role, changedAt: now };
  return [{ type: 'OperatorRoleChanged', data }];
}

function deactivate(
  { operatorId, now }: CommandOf<'DeactivateOperator'>,
  operators: Operators,
): readonly OperatorEvent[] {
  const operator = known(operators, operatorId);
  if (!operator.active) return [];
  expectAnotherSuperAdmin(operators, operator);
  return [{ type: 'OperatorDeactivated', data: { operatorId, deactivatedAt: now } }];
}

function changePassword(
  { operatorId, confirmed, passwordHash, sessionId, now }: CommandOf<'ChangePassword'>,
  operators: Operators,
): readonly OperatorEvent[] {
  const operator = activeOperator(operators, operatorId);
  // The confirmed password was changed meanwhile.
  if (confirmed !== null && confirmed !== operator.passwordHash) {
    throw new Refusal('CURRENT_PASSWORD_WRONG');
  }
  const mustChangePassword = confirmed === null;
  const data = { operatorId, passwordHash, mustChangePassword, sessionId, changedAt: now };
  return [{ type: 'PasswordChanged', data }];
}

function rehashPassword(
  { operatorId, confirmed, passwordHash, now }: CommandOf<'RehashPassword'>,
  operators: Operators,
): readonly OperatorEvent[] {
  if (operators.get(operatorId)?.passwordHash !== confirmed) return [];
  return [{ type: 'PasswordRehashed', data: { operatorId, passwordHash, rehashedAt: now } }];
}

function enrolSecondFactor(
  { operatorId, secret, counter, sessionId, epoch, now }: CommandOf<'EnrolSecondFactor'>,
  operators: Operators,
): readonly OperatorEvent[] {
  const operator = operators.get(operatorId);
  if (operator?.active !== true || operator.epoch !== epoch) throw new Refusal('UNAUTHENTICATED');
  if (operator.secondFactor !== null) throw new Refusal('SECOND_FACTOR_WRONG');
  const data = { operatorId, secret, counter, sessionId, enrolledAt: now };
  return [{ type: 'SecondFactorEnrolled', data }];
}

function resetSecondFactor(
  { operatorId, now }: CommandOf<'ResetSecondFactor'>,
  operators: Operators,
): readonly OperatorEvent[] {
  if (activeOperator(operators, operatorId).secondFactor === null) return [];
  return [{ type: 'SecondFactorReset', data: { operatorId, resetAt: now } }];
}

function known(operators: Operators, operatorId: string): OperatorRecord {
  const operator = operators.get(operatorId);
  if (operator === undefined) throw new Refusal('OPERATOR_NOT_FOUND');
  return operator;
}

function activeOperator(operators: Operators, operatorId: string): OperatorRecord {
  const operator = known(operators, operatorId);
  if (!operator.active) {
    throw new Refusal('CONFLICT', {
      detail: 'The operator is deactivated and cannot be reactivated.',
    });
  }
  return operator;
}

function expectAnotherSuperAdmin(operators: Operators, { operatorId, role }: OperatorRecord): void {
  if (role !== 'SUPER_ADMIN') return;
  for (const other of operators.values()) {
    const stays = other.operatorId !== operatorId && other.active && other.role === 'SUPER_ADMIN';
    if (stays) return;
  }
  throw new Refusal('LAST_SUPER_ADMIN');
}

/** All operators together: e-mails are unique, the last SUPER_ADMIN stays. One stream, `operators-all`. */
export const operatorsDecider: Decider<Operators, OperatorCommand, OperatorEvent> = {
  initial,
  evolve,
  decide,
};
