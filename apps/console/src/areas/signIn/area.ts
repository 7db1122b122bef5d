import type { AreaPage } from '../../shared/area.ts';
import { returnSearch } from './search.ts';

/** Pages without the frame. */
export const signInPages: readonly AreaPage[] = [
  { path: '/login', search: returnSearch, load: () => import('./LoginPage.tsx') },
  {
    path: '/change-password',
    search: returnSearch,
    load: () => import('./ChangePasswordPage.tsx'),
  },
];
