import type { OperatorEvent, SecondFactorUsed } from '../../domain/operator/events.ts';
import {
  type OperatorCommand,
  type Operators,
  operatorsDecider,
} from '../../domain/operator/operators.ts';
import {
  secondFactorDecider,
  type UsedCodes,
  type UseSecondFactor,
} from '../../domain/operator/secondFactor.ts';
import { type AggregateFollower, createAggregateFollower } from '../followAggregate.ts';
import {
  type Aggregate,
  type AggregateCache,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
  type Handled,
} from '../handleCommand.ts';

/** The one stream there is: `operators-all`. */
export const allOperators = 'all';

export interface OperatorDirectoryDependencies extends AggregateDependencies<Operators> {
  readonly cache: AggregateCache<Operators>;
  /** Following the log failed and is tried again; the directory is read anew for every question meanwhile. */
  readonly onFailure: (cause: unknown) => void;
}

/** All operators, kept in memory as the log has them. */
export interface OperatorDirectory extends Pick<AggregateFollower, 'start' | 'stop'> {
  /** The operators now: what another process did shows as soon as this one is told. @throws Unavailable(eventStore) */
  current(): Promise<Operators>;
  /** @throws Refusal when the command is not allowed */
  handle(
    command: OperatorCommand,
    context: CommandContext,
  ): Promise<Handled<Operators, OperatorEvent>>;
}

/** Binds the operators to their store. A right taken away must not wait for a projection: the log is followed instead. */
export function createOperatorDirectory(
  dependencies: OperatorDirectoryDependencies,
): OperatorDirectory {
  const { eventStore, cache, onFailure } = dependencies;
  const aggregate = createAggregate('operators', operatorsDecider, dependencies);
  const reload = (id: string) => aggregate.load(id, { trusts: () => false });
  const follower = createAggregateFollower<Operators, OperatorEvent>({
    ...{ eventStore, category: 'operators', decider: operatorsDecider, cache, onFailure, reload },
  });
  return {
    start: () => follower.start(),
    stop: () => follower.stop(),
    current: async () =>
      (await (follower.isFollowing() ? aggregate.load(allOperators) : reload(allOperators))).state,
    handle: (command, context) => aggregate.handle(allOperators, command, context),
  };
}

/** The codes each operator has used, bound to their store. */
export type SecondFactors = Aggregate<UsedCodes, UseSecondFactor, SecondFactorUsed>;

export function createSecondFactors(dependencies: AggregateDependencies<UsedCodes>): SecondFactors {
  return createAggregate('secondFactor', secondFactorDecider, dependencies);
}
