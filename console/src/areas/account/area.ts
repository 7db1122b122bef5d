import type { Area } from '../../shared/area.ts';

/** One's own account; the user menu leads there. */
export const accountArea: Area = {
  pages: [{ path: '/account', load: () => import('./AccountPage.tsx') }],
  nav: [],
};
