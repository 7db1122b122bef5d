import { IconListSearch } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';

/** Audit trail and its integrity proofs. */
export const auditArea: Area = {
  pages: [
    { path: '/audit', capability: 'audit:read', search, load: () => import('./ListPage.tsx') },
    { path: '/audit/tree', capability: 'audit:read', load: () => import('./TreePage.tsx') },
    {
      path: '/audit/$eventId',
      capability: 'audit:read',
      load: () => import('./EntryPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'control',
      path: '/audit',
      icon: IconListSearch,
      texts: defineTexts({ common: { nav: 'audit' }, mn: {}, en: {} }),
      capability: 'audit:read',
    },
  ],
};
