import { IconChecklist } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { useInboxCount } from '../../shared/approvals.tsx';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const approvalsArea: Area = {
  pages: [
    { path: '/approvals', capability: 'audit:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/approvals/$id',
      capability: 'audit:read',
      shows: 'approval',
      load: () => import('./ApprovalPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'control',
      path: '/approvals',
      icon: IconChecklist,
      texts: defineTexts(nav),
      capability: 'audit:read',
      useCount: useInboxCount,
    },
  ],
};
