import { listSearch, textSearch, sortSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({ sort: sortSearch('enrolledAt'), q: textSearch });
