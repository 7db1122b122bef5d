import { IconCertificate } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

/** As the API has them (application/ports/peopleViews.ts). */
export const statuses = [
  'VALID',
  'SUSPENDED',
  'REVOKED',
  'SUPERSEDED',
  'EXPIRED',
  'REQUESTED',
] as const;

export const search = listSearch({
  q: z.string().optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

/** Certificates of everybody, and their end. */
export const certificatesArea: Area = {
  pages: [
    {
      path: '/certificates',
      capability: 'cert:read',
      search,
      load: () => import('./ListPage.tsx'),
    },
    {
      path: '/certificates/$serial',
      capability: 'cert:read',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'people', path: '/certificates', icon: IconCertificate, texts },
      capability: 'cert:read',
    },
  ],
};
