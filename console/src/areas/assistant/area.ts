import { IconBooks, IconMessageChatbot } from '@tabler/icons-react';
import { z } from '../../shared/zod.ts';
import type { Area } from '../../shared/area.ts';
import { listSearch } from '../../shared/useListSearch.ts';
import { chatTexts, knowledgeTexts } from './texts.ts';

/** What the address of the list keeps. */
export const search = listSearch({
  q: z.string().optional().catch(undefined),
  language: z.enum(['mn', 'en', 'zh', 'ru']).optional().catch(undefined),
});

export const assistantArea: Area = {
  pages: [
    { path: '/assistant', load: () => import('./ChatPage.tsx') },
    {
      ...{ path: '/knowledge', capability: 'config:read', search },
      load: () => import('./KnowledgePage.tsx'),
    },
    {
      ...{ path: '/knowledge/new', capability: 'config:write' },
      load: () => import('./NewArticlePage.tsx'),
    },
    {
      ...{ path: '/knowledge/prompts', capability: 'config:read' },
      load: () => import('./PromptsPage.tsx'),
    },
    {
      ...{ path: '/knowledge/articles/$id', capability: 'config:read' },
      load: () => import('./ArticlePage.tsx'),
    },
  ],
  nav: [
    { section: 'overview', path: '/assistant', icon: IconMessageChatbot, texts: chatTexts },
    {
      ...{ section: 'platform', path: '/knowledge', icon: IconBooks, texts: knowledgeTexts },
      capability: 'config:read',
    },
  ],
};
