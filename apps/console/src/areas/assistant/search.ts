import { z } from '../../shared/zod.ts';
import { listSearch, textSearch } from '../../shared/useListSearch.ts';

/** Search parameters of the list. */
export const search = listSearch({
  q: textSearch,
  language: z.enum(['mn', 'en', 'zh', 'ru']).optional().catch(undefined),
});
