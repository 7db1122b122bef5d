import { IconServer2 } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Configuration and PKI of the platform. */
export const systemArea: Area = {
  pages: [{ path: '/system', capability: 'config:read', load: () => import('./SystemPage.tsx') }],
  nav: [
    {
      section: 'platform',
      path: '/system',
      icon: IconServer2,
      texts: defineTexts(nav),
      capability: 'config:read',
    },
  ],
};
