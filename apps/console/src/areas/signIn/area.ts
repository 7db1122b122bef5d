import type { AreaPage } from '../../shared/area.ts';
import { returnSearch } from './search.ts';

/** Pages without the frame; the last is all there is while a restored installation is not accepted. */
export const signInPages: readonly AreaPage[] = [
  { path: '/login', search: returnSearch, load: () => import('./LoginPage.tsx') },
  {
    path: '/change-password',
    search: returnSearch,
    load: () => import('./ChangePasswordPage.tsx'),
  },
  { path: '/restored', load: () => import('./RestoredPage.tsx') },
];
