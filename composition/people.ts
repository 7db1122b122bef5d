import { certificateRoutes } from '../api/admin/certificateRoutes.ts';
import { deviceRoutes } from '../api/admin/deviceRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { sessionRoutes } from '../api/admin/sessionRoutes.ts';
import { userRoutes } from '../api/admin/userRoutes.ts';
import type { PeopleViews } from '../application/ports/peopleViews.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createAuditTrail } from '../projections/audit/auditTrail.ts';
import { createLists } from '../projections/lists.ts';
import { createPeopleViews } from '../projections/people.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

export interface PeopleArea {
  readonly part: ServicePart;
  readonly people: PeopleViews;
}

/** What operators see of citizens, devices, certificates and sessions. */
export function composePeople({ foundation }: Core, guards: OperatorGuards): PeopleArea {
  const { clock, database, vault, eventStore } = foundation;
  const lists = createLists({ database });
  const people = failingFast(createPeopleViews({ database, vault, lists }));
  return {
    part: {
      routes: [
        ...userRoutes({
          ...{ guards, people, clock },
          auditTrail: failingFast(createAuditTrail(database)),
        }),
        ...deviceRoutes({ guards, people, clock }),
        ...certificateRoutes({ guards, people, eventStore, clock }),
        ...sessionRoutes({ guards, eventStore, clock }),
      ],
      stop: () => lists.stop(),
    },
    people,
  };
}
