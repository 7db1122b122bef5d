import { listSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({});
