import { z } from 'zod';
import { articleOrigins, assistantLanguages, promptNames } from '../../domain/assistant/events.ts';
import { optionalText, text } from './eventParts.ts';

const article = {
  articleId: text,
  title: text,
  content: text,
  tags: z.array(text),
  language: z.enum(assistantLanguages),
  source: optionalText,
  origin: z.enum(articleOrigins),
  contentHash: text,
};

/** The catalog's rows of the assistant's prompts and of its knowledge. */
export const assistantEvents = {
  AssistantPromptChanged: {
    version: 1,
    shape: { prompt: z.enum(promptNames), content: text, changedAt: text },
  },
  KnowledgeArticleAdded: { version: 1, shape: { ...article, addedAt: text } },
  KnowledgeArticleChanged: { version: 1, shape: { ...article, changedAt: text } },
  KnowledgeArticleRemoved: { version: 1, shape: { articleId: text, removedAt: text } },
} as const;
