import type {
  ArticleOrigin,
  ArticleText,
  AssistantLanguage,
} from '../../domain/assistant/events.ts';

/** An article of the knowledge base as operators see it. */
export interface ArticleRecord extends ArticleText {
  readonly articleId: string;
  readonly origin: ArticleOrigin;
  readonly contentHash: string;
  /** How often it was added, changed or removed. */
  readonly version: number;
  /** Who changed it last. */
  readonly changedBy: string;
  /** ISO 8601. */
  readonly addedAt: string;
  readonly changedAt: string;
}

/** Which articles a list shows. */
export interface ArticleFilter {
  /** In title, content, tags or source, whatever the case; null: any. */
  readonly query: string | null;
  readonly language: AssistantLanguage | null;
  readonly origin: ArticleOrigin | null;
  readonly limit: number;
  readonly offset: number;
}

/** The articles as the read model has them; none that was removed. */
export interface KnowledgeArticles {
  /** The last changed first. */
  articlePage(
    filter: ArticleFilter,
  ): Promise<{ readonly items: readonly ArticleRecord[]; readonly total: number }>;
  article(articleId: string): Promise<ArticleRecord | null>;
  /** What each article says now, by its id: a hash of it, for whoever keeps them in memory. */
  contentHashes(): Promise<ReadonlyMap<string, string>>;
  /** The articles of these ids that are there. */
  articles(articleIds: readonly string[]): Promise<readonly ArticleRecord[]>;
}

/** An article that comes with the program. */
export interface SeedArticle extends ArticleText {
  /** Names it for good, for example `en/lost-phone`. */
  readonly name: string;
}
