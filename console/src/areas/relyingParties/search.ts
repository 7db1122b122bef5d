import { z } from '../../shared/zod.ts';
import { activeSearch, listSearch } from '../../shared/useListSearch.ts';

/** Search parameters of the list. */
export const search = listSearch({
  q: z.string().optional().catch(undefined),
  active: activeSearch,
});
