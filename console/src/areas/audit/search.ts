import { z } from '../../shared/zod.ts';
import { listSearch } from '../../shared/useListSearch.ts';

const text = z.string().optional().catch(undefined);

/** Filters of the API; `from` and `to` are days of the reader's calendar, both included. */
export const search = listSearch({
  type: text,
  subject: text,
  actor: text,
  outcome: z.enum(['OK', 'DENIED']).optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
});
