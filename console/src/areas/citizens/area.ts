import { IconUsers } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

export const search = listSearch({ q: z.string().optional().catch(undefined) });

/** Citizens: found by whatever names them, with all they hold. */
export const citizensArea: Area = {
  pages: [
    { path: '/citizens', capability: 'user:read', search, load: () => import('./ListPage.tsx') },
    { path: '/citizens/$etsi', capability: 'user:read', load: () => import('./DetailPage.tsx') },
  ],
  nav: [{ section: 'people', path: '/citizens', icon: IconUsers, texts, capability: 'user:read' }],
};
