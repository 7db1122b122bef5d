import { activeSearch, listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

/** Search parameters of the list. */
export const search = listSearch({
  sort: sortSearch('name', 'active', 'registeredAt'),
  q: textSearch,
  active: activeSearch,
});
