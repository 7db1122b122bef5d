import { IconUserShield } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

export const search = listSearch({});

/** Operators of the platform. */
export const adminsArea: Area = {
  pages: [
    {
      path: '/admins',
      capability: 'admin:manage',
      search,
      load: () => import('./AdminsPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'platform', path: '/admins', icon: IconUserShield, texts },
      capability: 'admin:manage',
    },
  ],
};
