import { activeSearch, listSearch, textSearch } from '../../shared/useListSearch.ts';

/** Search parameters of the list. */
export const search = listSearch({ q: textSearch, active: activeSearch });
