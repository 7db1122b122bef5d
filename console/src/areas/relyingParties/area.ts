import { IconBuildingBank } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { activeSearch, listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

/** What the address of the list keeps. */
export const search = listSearch({
  q: z.string().optional().catch(undefined),
  active: activeSearch,
});

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
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'parties', path: '/relying-parties', icon: IconBuildingBank, texts },
      capability: 'rp:read',
    },
  ],
};
