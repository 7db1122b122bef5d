import type {
  ArticleOrigin,
  ArticleText,
  AssistantLanguage,
} from '../../../domain/assistant/events.ts';
import type { ListPart, HasSnapshot } from '../../ports/listSnapshot.ts';

/** An article of the knowledge base, for operators. */
export interface ArticleRecord extends ArticleText {
  readonly articleId: string;
  readonly origin: ArticleOrigin;
  readonly contentHash: string;
  /** Number of times it was added, changed or removed. */
  readonly version: number;
  /** Last editor. */
  readonly changedBy: string;
  /** ISO 8601. */
  readonly addedAt: string;
  readonly changedAt: string;
}

/** Filter of a list of articles. */
export interface ArticleFilter extends ListPart {
  /** Searched in title, content, tags and source, ignoring case; null: any. */
  readonly query: string | null;
  readonly language: AssistantLanguage | null;
  readonly origin: ArticleOrigin | null;
}

/** The articles in the read model, without removed ones. */
export interface KnowledgeArticles {
  /** Most recently changed first. */
  articlePage(
    filter: ArticleFilter,
  ): Promise<HasSnapshot & { readonly items: readonly ArticleRecord[]; readonly total: number }>;
  article(articleId: string): Promise<ArticleRecord | null>;
  /** Content hash of each article by its id, for caches to compare. */
  contentHashes(): Promise<ReadonlyMap<string, string>>;
  /** Existing articles among these ids. */
  articles(articleIds: readonly string[]): Promise<readonly ArticleRecord[]>;
}

/** An article shipped with the program. */
export interface SeedArticle extends ArticleText {
  /** Stable name, for example `en/lost-phone`. */
  readonly name: string;
}
