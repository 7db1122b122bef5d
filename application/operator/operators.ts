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
  /** Called once when following the log failed; it is retried, and every query reads the whole stream meanwhile. */
  readonly onFailure: (cause: unknown) => void;
  /** Tells a follower that fell behind the log unnoticed. */
  readonly staleness: Pick<Staleness, 'covers'>;
}

/** All operators: those in memory, and what the log has since. */
export interface OperatorDirectory extends Pick<AggregateFollower, 'start' | 'stop'> {
  /**
   * The operators as the log has them by now: an ended right ends at every process at once.
   *
   * @throws Unavailable(eventStore)
   */
  current(): Promise<Operators>;
  /** @throws Refusal when the command is not allowed */
  handle(
    command: OperatorCommand,
    context: CommandContext,
  ): Promise<Handled<Operators, OperatorEvent>>;
}

/** Binds the operators to their store. Follows the log, so that little is read each time, and no state of a log that lost its end is kept. */
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
      (await (isCurrent() ? aggregate.refresh(allOperators) : reload(allOperators))).state,
    handle: (command, context) => aggregate.handle(allOperators, command, context),
  };
}

/** Used one-time codes of each operator, bound to their store. */
export type SecondFactors = Aggregate<UsedCodes, UseSecondFactor, SecondFactorUsed>;

export function createSecondFactors(dependencies: AggregateDependencies<UsedCodes>): SecondFactors {
  return createAggregate('secondFactor', secondFactorDecider, dependencies);
}
