import { IconUserShield } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Operators of the platform. */
export const adminsArea: Area = {
  pages: [
    {
      path: '/admins',
      capability: 'admin:manage',
      search,
      load: () => import('./AdminsPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'platform',
      path: '/admins',
      icon: IconUserShield,
      texts: defineTexts(nav),
      capability: 'admin:manage',
    },
  ],
};
