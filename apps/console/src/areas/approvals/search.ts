import { z } from '../../shared/zod.ts';
import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

export const views = ['inbox', 'mine', 'all'] as const;
export const statuses = [
  ...(['PENDING', 'APPROVED', 'REJECTED', 'EXECUTED', 'FAILED', 'EXPIRED'] as const),
] as const;

/** Search parameters of the list; without a view: the inbox. */
export const search = listSearch({
  sort: sortSearch('operation', 'status', 'requestedAt', 'expiresAt'),
  q: textSearch,
  view: z.enum(views).optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});
