import { IconBooks, IconMessageChatbot } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const assistantArea: Area = {
  isOff: ({ hasAssistant }) => !hasAssistant,
  pages: [
    { path: '/assistant', load: () => import('./ChatPage.tsx') },
    {
      path: '/knowledge',
      capability: 'config:read',
      search,
      load: () => import('./KnowledgePage.tsx'),
    },
    {
      path: '/knowledge/new',
      capability: 'config:write',
      load: () => import('./NewArticlePage.tsx'),
    },
    {
      path: '/knowledge/prompts',
      capability: 'config:read',
      load: () => import('./PromptsPage.tsx'),
    },
    {
      path: '/knowledge/articles/$id',
      capability: 'config:read',
      load: () => import('./ArticlePage.tsx'),
    },
  ],
  nav: [
    {
      section: 'overview',
      path: '/assistant',
      icon: IconMessageChatbot,
      texts: defineTexts(nav.chat),
    },
    {
      section: 'platform',
      path: '/knowledge',
      icon: IconBooks,
      texts: defineTexts(nav.knowledge),
      capability: 'config:read',
    },
  ],
};
