import { IconFileImport } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { texts } from './texts.ts';

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
      texts,
      capability: 'config:write',
    },
  ],
};
