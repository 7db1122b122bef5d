import type { EventStore } from '../../application/ports/eventStore.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import { createAccessLog } from '../../application/organization/accessLog.ts';
import {
  createOrganizations,
  createRepresentations,
} from '../../application/organization/organizations.ts';
import { createStandingOf, type StandingOf } from '../../application/organization/standing.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

/** Where nobody may act for an organization. */
export const nobodyRepresents: StandingOf = () =>
  Promise.reject(new Refusal('REPRESENTATION_DENIED'));

/** What is known of organizations, over a store in memory. */
export function memoryOrganizations(stores: {
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
}) {
  const organizations = createOrganizations(stores);
  const representations = createRepresentations(stores);
  return {
    organizations,
    representations,
    standingOf: createStandingOf({ organizations, representations }),
    accessLog: createAccessLog(stores),
  };
}
