import { IconChecklist } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { useInboxCount } from './deciding.ts';
import { texts } from './texts.ts';

export const views = ['inbox', 'mine', 'all'] as const;
export const statuses = [
  ...(['PENDING', 'APPROVED', 'REJECTED', 'EXECUTED', 'FAILED', 'EXPIRED'] as const),
] as const;

/** What the address of the list keeps; without a view: the inbox. */
export const search = listSearch({
  view: z.enum(views).optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

export const approvalsArea: Area = {
  pages: [
    { path: '/approvals', capability: 'audit:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/approvals/$id',
      capability: 'audit:read',
      load: () => import('./ApprovalPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'control', path: '/approvals', icon: IconChecklist, texts },
      capability: 'audit:read',
      useCount: useInboxCount,
    },
  ],
};
