import { IconBuildingBank } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const relyingPartiesArea: Area = {
  pages: [
    {
      path: '/relying-parties',
      capability: 'rp:read',
      search,
      load: () => import('./ListPage.tsx'),
    },
    {
      path: '/relying-parties/new',
      capability: 'rp:write',
      load: () => import('./RegisterPage.tsx'),
    },
    {
      path: '/relying-parties/$id',
      capability: 'rp:read',
      shows: 'relyingParty',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'parties',
      path: '/relying-parties',
      icon: IconBuildingBank,
      texts: defineTexts(nav),
      capability: 'rp:read',
    },
  ],
};
