import { IconLayoutDashboard } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { texts } from './texts.ts';

/** Where everybody starts. */
export const homeArea: Area = {
  pages: [{ path: '/', load: () => import('./HomePage.tsx') }],
  nav: [{ section: 'overview', path: '/', icon: IconLayoutDashboard, texts }],
};
