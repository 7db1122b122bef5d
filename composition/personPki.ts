import { personPkiRoutes } from '../api/rp/personPkiRoutes.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createPersonPki } from '../projections/personPki.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** What relying parties with PKI_READ see of a person. */
export function composePersonPki({ foundation, aggregates }: Core): ServicePart {
  const { facts, clock, database } = foundation;
  return {
    routes: personPkiRoutes({
      ...{ facts, clock, sessions: aggregates.sessions },
      personPki: failingFast(createPersonPki(database)),
    }),
  };
}
