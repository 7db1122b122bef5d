import { IconBuildingCommunity } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const organizationsArea: Area = {
  pages: [
    {
      path: '/organizations',
      capability: 'org:read',
      search,
      load: () => import('./ListPage.tsx'),
    },
    {
      path: '/organizations/new',
      capability: 'org:write',
      load: () => import('./RegisterPage.tsx'),
    },
    {
      path: '/organizations/$etsi',
      capability: 'org:read',
      shows: 'organization',
      search: asOfSearch,
      load: () => import('./OrganizationPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'parties',
      path: '/organizations',
      icon: IconBuildingCommunity,
      texts: defineTexts(nav),
      capability: 'org:read',
    },
  ],
};
