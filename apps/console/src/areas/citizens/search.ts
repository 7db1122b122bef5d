import { listSearch, textSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({ q: textSearch });
