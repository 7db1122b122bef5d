import { expand } from './statements.ts';

/** Organizations by their status, as projections/organizations.ts sorts by it. */
export const organizationStatusOrder = expand([
  `create index organization_view_status_order on organization_view (status, register)`,
]);
