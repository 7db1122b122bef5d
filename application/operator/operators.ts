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
import {
  type AggregateFollower,
  type ClearableCache,
  createAggregateFollower,
} from '../followAggregate.ts';
import {
  type Aggregate,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
  type Handled,
} from '../handleCommand.ts';
import type { Staleness } from '../ports/staleness.ts';

/** Id of the only stream: `operators-all`. */
export const allOperators = 'all';

export interface OperatorDirectoryDependencies extends AggregateDependencies<Operators> {
  readonly cache: ClearableCache<Operators>;
  /** Called once when following the log failed; it is retried, and the directory is read for every query meanwhile. */
  readonly onFailure: (cause: unknown) => void;
  /** Tells a follower that fell behind the log unnoticed. */
  readonly staleness: Pick<Staleness, 'covers'>;
}

/** All operators in memory, current as of the log. */
export interface OperatorDirectory extends Pick<AggregateFollower, 'start' | 'stop'> {
  /**
   * The current operators: changes of other processes appear with their notification.
   * @throws Unavailable(eventStore)
   */
  current(): Promise<Operators>;
  /** @throws Refusal when the command is not allowed */
  handle(
    command: OperatorCommand,
    context: CommandContext,
  ): Promise<Handled<Operators, OperatorEvent>>;
}

/** Binds the operators to their store. Follows the log, since a revoked right must not wait for a projection. */
export function createOperatorDirectory(
  dependencies: OperatorDirectoryDependencies,
): OperatorDirectory {
  const { eventStore, cache, onFailure, staleness } = dependencies;
  const aggregate = createAggregate('operators', operatorsDecider, dependencies);
  const reload = (id: string) => aggregate.load(id, { trusts: () => false });
  const follower = createAggregateFollower<Operators, OperatorEvent>({
    eventStore,
    category: 'operators',
    decider: operatorsDecider,
    cache,
    onFailure,
    reload,
  });
  const isCurrent = () => follower.isFollowing() && staleness.covers(follower.position());
  return {
    start: () => follower.start(),
    stop: () => follower.stop(),
    current: async () =>
      (await (isCurrent() ? aggregate.load(allOperators) : reload(allOperators))).state,
    handle: (command, context) => aggregate.handle(allOperators, command, context),
  };
}

/** Used one-time codes of each operator, bound to their store. */
export type SecondFactors = Aggregate<UsedCodes, UseSecondFactor, SecondFactorUsed>;

export function createSecondFactors(dependencies: AggregateDependencies<UsedCodes>): SecondFactors {
  return createAggregate('secondFactor', secondFactorDecider, dependencies);
}
