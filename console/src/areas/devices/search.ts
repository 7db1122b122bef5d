import { z } from '../../shared/zod.ts';
import { activeSearch, listSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({
  q: z.string().optional().catch(undefined),
  active: activeSearch,
});
