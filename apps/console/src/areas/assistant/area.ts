import { IconBooks, IconMessageChatbot } from '@tabler/icons-react';
import type { Area } from '../../shared/area.ts';
import { search } from './search.ts';
import { chatTexts, knowledgeTexts } from './texts.ts';

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
    { section: 'overview', path: '/assistant', icon: IconMessageChatbot, texts: chatTexts },
    {
      section: 'platform',
      path: '/knowledge',
      icon: IconBooks,
      texts: knowledgeTexts,
      capability: 'config:read',
    },
  ],
};
