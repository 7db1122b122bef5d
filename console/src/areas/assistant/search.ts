import { z } from '../../shared/zod.ts';
import { listSearch } from '../../shared/useListSearch.ts';

/** Search parameters of the list. */
export const search = listSearch({
  q: z.string().optional().catch(undefined),
  language: z.enum(['mn', 'en', 'zh', 'ru']).optional().catch(undefined),
});
