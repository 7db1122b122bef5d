import { IconLayoutDashboard } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { windowSearch } from '../../shared/statistics/window.ts';
import { texts } from './texts.ts';

/** Start page. */
export const homeArea: Area = {
  pages: [{ path: '/', search: windowSearch, load: () => import('./HomePage.tsx') }],
  nav: [{ section: 'overview', path: '/', icon: IconLayoutDashboard, texts }],
};
