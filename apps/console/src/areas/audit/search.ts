import { z } from '../../shared/zod.ts';
import { listSearch, sortSearch, textSearch } from '../../shared/useListSearch.ts';

/** Filters of the API, which leaves reads out unless `reads` is set; `from` and `to` are days of the reader's calendar, both included. */
export const search = listSearch({
  sort: sortSearch('at'),
  type: textSearch,
  subject: textSearch,
  actor: textSearch,
  outcome: z.enum(['OK', 'DENIED']).optional().catch(undefined),
  reads: z.enum(['true']).optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
});
