import { IconListSearch } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

const text = z.string().optional().catch(undefined);

/** As the API's; `from` and `to` are days of the reader's calendar, both included. */
export const search = listSearch({
  ...{ type: text, subject: text, actor: text },
  outcome: z.enum(['OK', 'DENIED']).optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
});

/** The audit, and the proofs that nobody changed it. */
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
      ...{ section: 'control', path: '/audit', icon: IconListSearch, texts },
      capability: 'audit:read',
    },
  ],
};
