import type { OperatorGuards } from '../api/admin/guard.ts';
import { organizationRoutes } from '../api/admin/organizationRoutes.ts';
import { relyingPartyRoutes } from '../api/admin/relyingPartyRoutes.ts';
import { subsystemRoutes } from '../api/admin/subsystemRoutes.ts';
import type { Submit } from '../application/approval/submitCommand.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createLists } from '../projections/lists.ts';
import { createOrganizationPages } from '../projections/organizations.ts';
import { createRelyingPartyPages } from '../projections/relyingParties.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** Relying parties and organizations, as operators see and change them. */
export function composeParties(
  { foundation, aggregates }: Core,
  guards: OperatorGuards,
  submit: Submit,
): ServicePart {
  const { clock, randomness, progress, eventStore, facts, database } = foundation;
  const { relyingParties, organizations, representations } = aggregates;
  const lists = createLists({ database });
  const common = { eventStore, clock, progress };
  const parties = {
    ...{ ...common, relyingParties, randomness, submit },
    ...failingFast(createRelyingPartyPages({ database, lists })),
  };
  return {
    routes: [
      ...relyingPartyRoutes(guards, parties),
      ...subsystemRoutes(guards, parties),
      ...organizationRoutes(guards, {
        ...{ ...common, organizations, representations, facts, submit },
        ...failingFast(createOrganizationPages({ database, lists })),
      }),
    ],
    stop: () => lists.stop(),
  };
}
