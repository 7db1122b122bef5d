import {
  type Aggregate,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
  expectShown,
} from '../handleCommand.ts';
import {
  type Article,
  type ArticleCommand,
  type ArticleCommandFor,
  articleDecider,
} from '../../domain/assistant/article.ts';
import type { ArticleText, KnowledgeArticleEvent } from '../../domain/assistant/events.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';

/** The articles of the knowledge base, bound to their store. */
export type Articles = Aggregate<Article, ArticleCommandFor, KnowledgeArticleEvent>;

export function createArticles(dependencies: AggregateDependencies<Article>): Articles {
  return createAggregate('knowledgeArticle', articleDecider, dependencies);
}

export interface ArticleDependencies {
  readonly articles: Articles;
  readonly clock: Clock;
  readonly progress: ProjectionProgress;
}

/** Operator's change of an article. */
export type ArticleEdit =
  | { readonly type: 'AddArticle'; readonly text: ArticleText }
  | {
      readonly type: 'ChangeArticle';
      readonly text: ArticleText;
      /** Version the edit is based on; null: any. */
      readonly expected: number | null;
    }
  | { readonly type: 'RemoveArticle'; readonly expected: number | null };

/**
 * Adds, changes or removes an article; resolves when the read model shows it.
 *
 * @throws Refusal ARTICLE_NOT_FOUND, PRECONDITION_FAILED, CONFLICT
 */
export async function editArticle(
  { articles, clock, progress }: ArticleDependencies,
  articleId: string,
  edit: ArticleEdit,
  context: CommandContext,
): Promise<void> {
  const command: ArticleCommand = { ...edit, now: clock.now().toISOString() };
  await expectShown(progress, articles.handle(articleId, { ...command, articleId }, context));
}
