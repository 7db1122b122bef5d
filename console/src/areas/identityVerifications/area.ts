import { IconUserCheck } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

/** As the API has them (domain/identityVerification). */
export const methods = ['dan', 'gsign', 'passport', 'citizenCard'] as const;
export const statuses = ['PENDING', 'VERIFIED', 'EXHAUSTED', 'EXPIRED', 'CANCELLED'] as const;

export const search = listSearch({
  q: z.string().optional().catch(undefined),
  method: z.enum(methods).optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

/** How people proved who they are before they enrolled. */
export const identityVerificationsArea: Area = {
  pages: [
    {
      path: '/identity-verifications',
      capability: 'user:read',
      search,
      load: () => import('./ListPage.tsx'),
    },
    {
      path: '/identity-verifications/$verificationId',
      capability: 'user:read',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'people', path: '/identity-verifications', icon: IconUserCheck, texts },
      capability: 'user:read',
    },
  ],
};
