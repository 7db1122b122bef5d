import { IconChartBar } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { windowSearch } from '../../shared/statistics/window.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Statistics as tables; the dashboard has the charts. */
export const statisticsArea: Area = {
  pages: [
    {
      path: '/statistics',
      capability: 'audit:read',
      search: windowSearch,
      load: () => import('./StatisticsPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'overview',
      path: '/statistics',
      icon: IconChartBar,
      texts: defineTexts(nav),
      capability: 'audit:read',
    },
  ],
};
