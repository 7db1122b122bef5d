import { activeSearch, listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({
  sort: sortSearch('name', 'active', 'registeredAt'),
  q: textSearch,
  active: activeSearch,
});
