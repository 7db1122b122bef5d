import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts.

/** The parts of the assistant's instructions that operators write (specification, Assistant behaviour rule 5). */
export const promptNames = ['scope', 'instructions'] as const;

export type PromptName = (typeof promptNames)[number];

/** The languages the assistant answers in; the first where none, or another, was asked for (specification, Assistant records). */
export const assistantLanguages = ['mn', 'en', 'zh', 'ru'] as const;

export type AssistantLanguage = (typeof assistantLanguages)[number];

/** What the assistant is told about itself from now on. */
export type AssistantPromptChanged = DomainEvent<
  'AssistantPromptChanged',
  { readonly prompt: PromptName; readonly content: string; readonly changedAt: string }
>;

/** What an article of the knowledge base says. */
export interface ArticleText {
  readonly title: string;
  readonly content: string;
  /** Further words it is found by. */
  readonly tags: readonly string[];
  readonly language: AssistantLanguage;
  /** Where it comes from, shown with an answer: an address or a name; null: nowhere in particular. */
  readonly source: string | null;
}

/** PLATFORM: the text comes with the program. OPERATOR: somebody wrote it here. */
export const articleOrigins = ['PLATFORM', 'OPERATOR'] as const;

export type ArticleOrigin = (typeof articleOrigins)[number];

export type KnowledgeArticleAdded = DomainEvent<
  'KnowledgeArticleAdded',
  ArticleText & {
    readonly articleId: string;
    readonly origin: ArticleOrigin;
    /** See `articleHash`. */
    readonly contentHash: string;
    readonly addedAt: string;
  }
>;

/** The text from now on, all of it. */
export type KnowledgeArticleChanged = DomainEvent<
  'KnowledgeArticleChanged',
  ArticleText & {
    readonly articleId: string;
    readonly origin: ArticleOrigin;
    readonly contentHash: string;
    readonly changedAt: string;
  }
>;

/** It answers nothing any more. */
export type KnowledgeArticleRemoved = DomainEvent<
  'KnowledgeArticleRemoved',
  { readonly articleId: string; readonly removedAt: string }
>;

export type KnowledgeArticleEvent =
  KnowledgeArticleAdded | KnowledgeArticleChanged | KnowledgeArticleRemoved;
