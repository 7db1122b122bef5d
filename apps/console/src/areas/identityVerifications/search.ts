import { z } from '../../shared/zod.ts';
import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

/** Methods of the API (domain/identityVerification). */
export const methods = ['dan', 'gsign', 'passport', 'citizenCard'] as const;
export const statuses = ['PENDING', 'VERIFIED', 'EXHAUSTED', 'EXPIRED', 'CANCELLED'] as const;

export const search = listSearch({
  sort: sortSearch('startedAt'),
  q: textSearch,
  method: z.enum(methods).optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});
