import { IconLogin2 } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

/** OpenID Connect clients. */
export const oidcClientsArea: Area = {
  pages: [
    { path: '/oidc-clients', capability: 'rp:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/oidc-clients/new',
      capability: 'rp:write',
      load: () => import('./RegisterPage.tsx'),
    },
    {
      path: '/oidc-clients/$clientId',
      capability: 'rp:read',
      shows: 'oidcClient',
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      section: 'parties',
      path: '/oidc-clients',
      icon: IconLogin2,
      texts: defineTexts(nav),
      capability: 'rp:read',
    },
  ],
};
