import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { administratorsOf, operatorsDecider } from '../../domain/operator/operators.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import { type AggregateDependencies, createAggregate } from '../handleCommand.ts';
import { allOperators, type OperatorDirectory } from '../operator/operators.ts';
import {
  canApprove,
  type FourEyesPolicy,
  hasReviewer,
  type SensitiveOperation,
} from './operations.ts';

/** Events that change an operator; logins are not among them. */
const changes = ['OperatorRoleChanged', 'OperatorDeactivated'];

/** Changing operators' roles. */
export function operatorOperations(
  stores: Pick<AggregateDependencies<never>, 'eventStore' | 'clock' | 'randomness'>,
): { readonly 'operator.changeRole': SensitiveOperation<'operator.changeRole'> } {
  const over = (eventStore: typeof stores.eventStore) =>
    createAggregate('operators', operatorsDecider, { ...stores, eventStore });
  const now = () => stores.clock.now().toISOString();

  return {
    'operator.changeRole': {
      async plan({ operatorId, role }) {
        const { state, revision } = await over(stores.eventStore).load(allOperators);
        const command = { type: 'ChangeRole', operatorId, role, now: now() } as const;
        const events = operatorsDecider.decide(command, state);
        const before = state.get(operatorId)?.role ?? 'none';
        return {
          subject: operatorId,
          civilId: null,
          effects:
            events.length === 0 ? [] : [{ target: `operator ${operatorId}`, before, after: role }],
          targets: [{ stream: streamOf('operators', allOperators), revision }],
          reviewers: canApprove(role) ? administratorsOf(state) : [],
        };
      },
      async execute({ operatorId, role }, context, eventStore) {
        const command = { type: 'ChangeRole', operatorId, role, now: now() } as const;
        await over(eventStore).handle(allOperators, command, context);
        return null;
      },
      concerns: ({ type, data }, { operatorId }) =>
        changes.includes(type) && 'operatorId' in data && data.operatorId === operatorId,
    },
  };
}

/** Role of a new operator until another operator approves the wanted one: no command can be approved with it. */
export const unreviewedRole = 'AUDITOR' satisfies OperatorRole;

/** True when another operator must approve that a new operator gets this role. */
export type ReviewsNewOperator = (role: OperatorRole, requester: string) => Promise<boolean>;

/** Makes the rule for new operators; the first administrator of an installation adds the second alone. */
export function createReviewsNewOperator(
  policy: Pick<FourEyesPolicy, 'required'>,
  directory: Pick<OperatorDirectory, 'current'>,
): ReviewsNewOperator {
  return async (role, requester) =>
    policy.required &&
    canApprove(role) &&
    hasReviewer(administratorsOf(await directory.current()), requester);
}
