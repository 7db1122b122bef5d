import { IconFileImport } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** Small files of the civil register and the register of organizations. */
export const registersArea: Area = {
  pages: [
    { path: '/registers', capability: 'config:write', load: () => import('./RegistersPage.tsx') },
  ],
  nav: [
    {
      section: 'platform',
      path: '/registers',
      icon: IconFileImport,
      texts: defineTexts(nav),
      capability: 'config:write',
    },
  ],
};
