import { z } from '../../shared/zod.ts';
import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

/** Statuses of the API (contract §11). */
export const statuses = ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED'] as const;

export const search = listSearch({
  sort: sortSearch('createdAt'),
  q: textSearch,
  status: z.enum(statuses).optional().catch(undefined),
});
