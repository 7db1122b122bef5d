import { IconLogin2 } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { activeSearch, listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

export const search = listSearch({
  q: z.string().optional().catch(undefined),
  active: activeSearch,
});

/** Programs that log citizens in with OpenID Connect. */
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
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'parties', path: '/oidc-clients', icon: IconLogin2, texts },
      capability: 'rp:read',
    },
  ],
};
