import { IconFileText } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Documents of organizations and their signers, without the files. */
export const documentsArea: Area = {
  pages: [
    {
      path: '/documents',
      capability: 'session:read',
      search,
      load: () => import('./ListPage.tsx'),
    },
    {
      path: '/documents/$id',
      capability: 'session:read',
      shows: 'document',
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'parties',
      path: '/documents',
      icon: IconFileText,
      texts: defineTexts(nav),
      capability: 'session:read',
    },
  ],
};
