import { IconUserCheck } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Identity verifications before enrolment. */
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
      shows: 'identityVerification',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'people',
      path: '/identity-verifications',
      icon: IconUserCheck,
      texts: defineTexts(nav),
      capability: 'user:read',
    },
  ],
};
