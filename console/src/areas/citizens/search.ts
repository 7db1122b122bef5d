import { z } from '../../shared/zod.ts';
import { listSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({ q: z.string().optional().catch(undefined) });
