import { IconCertificate } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';

/** Certificates of all holders, and their revocation. */
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
      shows: 'certificate',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'people',
      path: '/certificates',
      icon: IconCertificate,
      texts: defineTexts({ common: { nav: 'certificates' }, mn: {}, en: {} }),
      capability: 'cert:read',
    },
  ],
};
