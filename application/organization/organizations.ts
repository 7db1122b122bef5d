import type { OrganizationEvent } from '../../domain/organization/events.ts';
import {
  type Organization,
  type OrganizationCommand,
  organizationDecider,
} from '../../domain/organization/organization.ts';
import type { RepresentationEvent } from '../../domain/representation/events.ts';
import {
  type Representation,
  type RepresentationCommand,
  representationDecider,
} from '../../domain/representation/representation.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The organization aggregate bound to its store. */
export type Organizations = Aggregate<Organization, OrganizationCommand, OrganizationEvent>;

/** The rights to represent an organization, bound to their store. */
export type Representations = Aggregate<Representation, RepresentationCommand, RepresentationEvent>;

export function createOrganizations(
  dependencies: AggregateDependencies<Organization>,
): Organizations {
  return createAggregate('organization', organizationDecider, dependencies);
}

export function createRepresentations(
  dependencies: AggregateDependencies<Representation>,
): Representations {
  return createAggregate('representation', representationDecider, dependencies);
}
