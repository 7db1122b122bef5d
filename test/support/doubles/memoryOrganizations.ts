import type { EventStore } from '../../../application/ports/eventStore.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { Randomness } from '../../../application/ports/randomness.ts';
import { createAccessLog } from '../../../application/organization/accessLog.ts';
import {
  createOrganizations,
  createRepresentations,
} from '../../../application/organization/organizations.ts';
import {
  createExpectRepresentation,
  type ExpectRepresentation,
} from '../../../application/organization/expectRepresentation.ts';
import { Refusal } from '../../../domain/shared/refusal.ts';

/** Organizations without representatives. */
export const nobodyRepresents: ExpectRepresentation = () =>
  Promise.reject(new Refusal('REPRESENTATION_DENIED'));

/** Organizations over an event store in memory. */
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
    expectRepresentation: createExpectRepresentation({ organizations, representations }),
    accessLog: createAccessLog(stores),
  };
}
