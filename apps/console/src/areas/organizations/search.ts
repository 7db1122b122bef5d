import { z } from '../../shared/zod.ts';
import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

export const statuses = ['PENDING', 'VERIFIED', 'ACTIVE', 'SUSPENDED', 'REVOKED'] as const;

/** Search parameters of the list. */
export const search = listSearch({
  sort: sortSearch('name', 'orgRegister', 'registeredAt', 'status'),
  q: textSearch,
  status: z.enum(statuses).optional().catch(undefined),
});
