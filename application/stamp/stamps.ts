import type { StampEvent } from '../../domain/stamp/events.ts';
import { type Stamp, type StampCommand, stampDecider } from '../../domain/stamp/stamp.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The stamp aggregate bound to its store; its id is the session's. */
export type Stamps = Aggregate<Stamp, StampCommand, StampEvent>;

export function createStamps(dependencies: AggregateDependencies<Stamp>): Stamps {
  return createAggregate('stamp', stampDecider, dependencies);
}
