import { IconDeviceMobile } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { activeSearch, listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

export const search = listSearch({
  q: z.string().optional().catch(undefined),
  active: activeSearch,
});

/** Citizens' phones. */
export const devicesArea: Area = {
  pages: [
    { path: '/devices', capability: 'device:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/devices/$documentNumber',
      capability: 'device:read',
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'people', path: '/devices', icon: IconDeviceMobile, texts },
      capability: 'device:read',
    },
  ],
};
