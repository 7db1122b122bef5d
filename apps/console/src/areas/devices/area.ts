import { IconDeviceMobile } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Devices of citizens. */
export const devicesArea: Area = {
  pages: [
    { path: '/devices', capability: 'device:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/devices/$documentNumber',
      capability: 'device:read',
      shows: 'device',
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'people',
      path: '/devices',
      icon: IconDeviceMobile,
      texts: defineTexts(nav),
      capability: 'device:read',
    },
  ],
};
