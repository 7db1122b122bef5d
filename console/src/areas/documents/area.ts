import { IconFileText } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

/** As the API has them (contract §11). */
export const statuses = ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED'] as const;

export const search = listSearch({
  q: z.string().optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

/** Documents of organizations and who signed them; never their files. */
export const documentsArea: Area = {
  pages: [
    {
      path: '/documents',
      capability: 'session:read',
      search,
      load: () => import('./ListPage.tsx'),
    },
    { path: '/documents/$id', capability: 'session:read', load: () => import('./DetailPage.tsx') },
  ],
  nav: [
    {
      ...{ section: 'parties', path: '/documents', icon: IconFileText, texts },
      capability: 'session:read',
    },
  ],
};
