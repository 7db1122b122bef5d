import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { type Fields, list, nullable, oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** The parts of the assistant's instructions that operators write (specification, Assistant behaviour rule 5). */
export const promptNames = ['scope', 'instructions'] as const;

export type PromptName = (typeof promptNames)[number];

/** The languages the assistant answers in; the first where none, or another, was asked for (specification, Assistant records). */
export const assistantLanguages = ['mn', 'en', 'zh', 'ru'] as const;

export type AssistantLanguage = (typeof assistantLanguages)[number];

const articleText = {
  title: text,
  content: text,
  /** Further words it is found by. */
  tags: list(text),
  language: oneOf(assistantLanguages),
  /** Source shown with an answer: an address or a name; null: none in particular. */
  source: nullable(text),
};

/** Content of an article of the knowledge base. */
export type ArticleText = Fields<typeof articleText>;

/** PLATFORM: the text comes with the program. OPERATOR: somebody wrote it here. */
export const articleOrigins = ['PLATFORM', 'OPERATOR'] as const;

export type ArticleOrigin = (typeof articleOrigins)[number];

const article = {
  ...articleText,
  articleId: text,
  origin: oneOf(articleOrigins),
  /** See `articleHash`. */
  contentHash: text,
};

const configuration = { capability: 'config:write' } as const;

export const assistantPromptEvents = defineEvents('assistantPrompt', {
  /** New text of one of the assistant's prompts. */
  AssistantPromptChanged: event({
    data: {
      prompt: oneOf(promptNames),
      content: text,
      changedAt: text,
    },
    audit: {
      type: 'AI_PROMPT_CHANGE',
      ...configuration,
      subject: (data) => data.prompt,
    },
  }),
});

/** Texts are in the log only: an audit with them would be no list any more. */
const articleDetails = ({ title, language, origin, contentHash }: Fields<typeof article>) => ({
  title,
  language,
  origin,
  contentHash,
});

export const knowledgeArticleEvents = defineEvents('knowledgeArticle', {
  KnowledgeArticleAdded: event({
    data: {
      ...article,
      addedAt: text,
    },
    audit: { type: 'AI_ARTICLE_ADD', ...configuration, details: articleDetails },
  }),

  /** The text from now on, all of it. */
  KnowledgeArticleChanged: event({
    data: {
      ...article,
      changedAt: text,
    },
    audit: { type: 'AI_ARTICLE_CHANGE', ...configuration, details: articleDetails },
  }),

  /** Removed from search. */
  KnowledgeArticleRemoved: event({
    data: {
      articleId: text,
      removedAt: text,
    },
    audit: { type: 'AI_ARTICLE_REMOVE', ...configuration },
  }),
});

export type KnowledgeArticleEvent = EventOf<typeof knowledgeArticleEvents>;
export type AssistantPromptChanged = EventOf<typeof assistantPromptEvents>;
export type KnowledgeArticleAdded = EventOf<typeof knowledgeArticleEvents, 'KnowledgeArticleAdded'>;
export type KnowledgeArticleChanged = EventOf<
  typeof knowledgeArticleEvents,
  'KnowledgeArticleChanged'
>;
