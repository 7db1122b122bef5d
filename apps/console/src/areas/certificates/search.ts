import { z } from '../../shared/zod.ts';
import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

/** Statuses of the API (projections/peopleViews.ts). */
export const statuses = [
  'VALID',
  'SUSPENDED',
  'REVOKED',
  'SUPERSEDED',
  'EXPIRED',
  'REQUESTED',
] as const;

export const search = listSearch({
  sort: sortSearch('notAfter'),
  q: textSearch,
  status: z.enum(statuses).optional().catch(undefined),
});
