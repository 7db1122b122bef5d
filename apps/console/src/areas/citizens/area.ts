import { IconUsers } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Citizens: search by any identifier, and details. */
export const citizensArea: Area = {
  pages: [
    { path: '/citizens', capability: 'user:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/citizens/$etsi',
      capability: 'user:read',
      shows: 'citizen',
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'people',
      path: '/citizens',
      icon: IconUsers,
      texts: defineTexts(nav),
      capability: 'user:read',
    },
  ],
};
