import { IconDeviceMobileMessage } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Sessions: found through the audit, shown from the log without secrets. */
export const sessionsArea: Area = {
  pages: [
    { path: '/sessions', capability: 'session:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/sessions/$sessionId',
      capability: 'session:read',
      shows: 'session',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'people',
      path: '/sessions',
      icon: IconDeviceMobileMessage,
      texts: defineTexts(nav),
      capability: 'session:read',
    },
  ],
};
