import { IconDeviceMobileMessage } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { asOfSearch } from '../../shared/useAsOf.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { texts } from './texts.ts';

/** What the audit calls that which happens in sessions; the list is of one of these. */
export const sessionEvents = [
  'SESSION_START',
  'SESSION_CLAIM',
  'SESSION_CONFIRM',
  'SESSION_CERT_CHOICE',
  'SESSION_REFUSE',
  'SESSION_FAIL',
  'SESSION_EXPIRE',
] as const;

export const search = listSearch({
  subject: z.string().optional().catch(undefined),
  event: z.enum(sessionEvents).optional().catch(undefined),
});

/** Sessions: found through the audit, each as it is in the log, without its secrets. */
export const sessionsArea: Area = {
  pages: [
    { path: '/sessions', capability: 'audit:read', search, load: () => import('./ListPage.tsx') },
    {
      path: '/sessions/$sessionId',
      capability: 'session:read',
      search: asOfSearch,
      load: () => import('./DetailPage.tsx'),
    },
  ],
  nav: [
    {
      ...{ section: 'people', path: '/sessions', icon: IconDeviceMobileMessage, texts },
      capability: 'session:read',
    },
  ],
};
