import { IconBuildingCommunity } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

export const statuses = ['PENDING', 'VERIFIED', 'ACTIVE', 'SUSPENDED', 'REVOKED'] as const;

/** What the address of the list keeps. */
export const search = listSearch({
  q: z.string().optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

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
      search: asOfSearch,
      load: () => import('./OrganizationPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'parties', path: '/organizations', icon: IconBuildingCommunity, texts },
      capability: 'org:read',
    },
  ],
};
