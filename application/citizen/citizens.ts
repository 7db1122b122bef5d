import { type Citizen, type CitizenCommand, citizenDecider } from '../../domain/citizen/citizen.ts';
import type { CitizenEvent } from '../../domain/citizen/events.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The citizen aggregate bound to its store; its id is the civil id. */
export type Citizens = Aggregate<Citizen, CitizenCommand, CitizenEvent>;

export function createCitizens(dependencies: AggregateDependencies<Citizen>): Citizens {
  return createAggregate('citizen', citizenDecider, dependencies);
}
