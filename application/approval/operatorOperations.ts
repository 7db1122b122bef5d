import type { ApprovalEffect } from '../../domain/approval/events.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import type { OperatorEvent } from '../../domain/operator/events.ts';
import {
  administratorsOf,
  type OperatorCommand,
  type OperatorRecord,
  operatorsDecider,
} from '../../domain/operator/operators.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import {
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
} from '../handleCommand.ts';
import { allOperators, type OperatorDirectory } from '../operator/operators.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import {
  canApprove,
  expectReviewers,
  type FourEyesPolicy,
  hasReviewer,
  type Plan,
  type SensitiveOperations,
} from './operations.ts';

type TakingAway = Extract<
  OperatorCommand,
  { readonly type: 'DeactivateOperator' | 'ResetSecondFactor' }
>;

type ChangeRole = Extract<OperatorCommand, { readonly type: 'ChangeRole' }>;

interface OfOperator {
  readonly operatorId: string;
}

/** Changing operators' roles, ending their access and their authenticators. */
export function operatorOperations(
  stores: Pick<AggregateDependencies<never>, 'eventStore' | 'clock' | 'randomness'>,
): Pick<
  SensitiveOperations,
  'operator.changeRole' | 'operator.deactivate' | 'operator.resetSecondFactor'
> {
  const over = (eventStore: typeof stores.eventStore) =>
    createAggregate('operators', operatorsDecider, { ...stores, eventStore });
  const now = () => stores.clock.now().toISOString();

  async function plan(
    command: ChangeRole | TakingAway,
    effectOn: (operator: OperatorRecord | undefined) => Omit<ApprovalEffect, 'target'>,
  ): Promise<Plan> {
    const { state, revision } = await over(stores.eventStore).load(allOperators);
    const events = operatorsDecider.decide(command, state);
    const { operatorId } = command;
    const operator = state.get(operatorId);
    const raises = command.type === 'ChangeRole' && canApprove(command.role);
    // A role that approves nothing may be changed by one administrator; any other operator is kept by two.
    const takesApprover =
      command.type !== 'ChangeRole' || (operator !== undefined && canApprove(operator.role));
    return {
      subject: operatorId,
      civilId: null,
      effects:
        events.length === 0 ? [] : [{ target: `operator ${operatorId}`, ...effectOn(operator) }],
      targets: [{ stream: streamOf('operators', allOperators), revision }],
      reviewers: raises || takesApprover ? administratorsOf(state) : [],
      isRefusedUnreviewed: takesApprover,
    };
  }

  async function handle(
    eventStore: EventStore,
    command: ChangeRole | TakingAway,
    context: CommandContext,
  ): Promise<null> {
    await over(eventStore).handle(allOperators, command, context);
    return null;
  }

  const takingAway = (
    type: TakingAway['type'],
    effect: Omit<ApprovalEffect, 'target'>,
    staleAfter: readonly OperatorEvent['type'][],
  ) => ({
    plan: ({ operatorId }: OfOperator) => plan({ type, operatorId, now: now() }, () => effect),
    execute: ({ operatorId }: OfOperator, context: CommandContext, eventStore: EventStore) =>
      handle(eventStore, { type, operatorId, now: now() }, context),
    concerns: isAbout(staleAfter),
  });

  return {
    'operator.changeRole': {
      plan: ({ operatorId, role }) =>
        plan({ type: 'ChangeRole', operatorId, role, now: now() }, (operator) => ({
          before: operator?.role ?? 'none',
          after: role,
        })),
      execute: ({ operatorId, role }, context, eventStore) =>
        handle(eventStore, { type: 'ChangeRole', operatorId, role, now: now() }, context),
      concerns: isAbout(['OperatorRoleChanged', 'OperatorDeactivated']),
    },
    'operator.deactivate': takingAway(
      'DeactivateOperator',
      { before: 'active', after: 'deactivated for good' },
      ['OperatorRoleChanged', 'OperatorDeactivated'],
    ),
    'operator.resetSecondFactor': takingAway(
      'ResetSecondFactor',
      { before: 'has an authenticator', after: 'enrols another at the next sign-in' },
      ['OperatorDeactivated', 'SecondFactorEnrolled', 'SecondFactorReset'],
    ),
  };
}

/** True of events of these types about the operator of a command; sign-ins are not among them. */
function isAbout(types: readonly OperatorEvent['type'][]) {
  return ({ type, data }: RecordedEvent['event'], { operatorId }: OfOperator): boolean =>
    types.some((each) => each === type) && 'operatorId' in data && data.operatorId === operatorId;
}

/** Role of a new operator until another operator approves the wanted one: no command can be approved with it. */
export const unreviewedRole = 'AUDITOR' satisfies OperatorRole;

/** True when another operator must approve that a new operator gets this role. */
export type ReviewsNewOperator = (role: OperatorRole, requester: string) => Promise<boolean>;

/**
 * Makes the rule for new operators; the first administrator of an installation adds the second alone.
 *
 * @returns a function that throws APPROVERS_MISSING when too few could approve the role
 */
export function createReviewsNewOperator(
  policy: Pick<FourEyesPolicy, 'required'>,
  directory: Pick<OperatorDirectory, 'current'>,
): ReviewsNewOperator {
  return async (role, requester) => {
    if (!policy.required || !canApprove(role)) return false;
    const administrators = administratorsOf(await directory.current());
    if (!hasReviewer(administrators, requester)) return false;
    expectReviewers(administrators, requester);
    return true;
  };
}
