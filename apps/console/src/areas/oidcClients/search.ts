import { activeSearch, listSearch, textSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({ q: textSearch, active: activeSearch });
