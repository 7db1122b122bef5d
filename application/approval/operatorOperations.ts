import { operatorsDecider } from '../../domain/operator/operators.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import { type AggregateDependencies, createAggregate } from '../handleCommand.ts';
import { allOperators } from '../operator/operators.ts';
import type { SensitiveOperation } from './operations.ts';

/** What changes who an operator is; they sign in all the time, too. */
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
          ...{ subject: operatorId, civilId: null },
          effects:
            events.length === 0 ? [] : [{ target: `operator ${operatorId}`, before, after: role }],
          targets: [{ stream: streamOf('operators', allOperators), revision }],
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
