import type { Area } from '../../shared/area.ts';

/** The operator's own account, linked from the user menu. */
export const accountArea: Area = {
  pages: [{ path: '/account', load: () => import('./AccountPage.tsx') }],
  nav: [],
};
