import { listSearch, sortSearch } from '../../shared/useListSearch.ts';

export const search = listSearch({
  sort: sortSearch('email', 'role', 'active', 'secondFactorEnrolled', 'lastSignInAt', 'addedAt'),
});
