import {
  createKnowledgeIndex,
  type KnowledgeIndex,
} from '../../../application/assistant/knowledgeIndex.ts';
import { seedArticleId } from '../../../application/assistant/seedKnowledge.ts';
import type { Embeddings } from '../../../application/assistant/ports/embeddings.ts';
import type {
  ArticleRecord,
  SeedArticle,
} from '../../../application/assistant/ports/knowledgeArticles.ts';
import { articleHash } from '../../../domain/assistant/article.ts';
import { passagesOf } from '../../../domain/assistant/passages.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { hashedEmbedding } from './hashedEmbedding.ts';

const at = '2026-01-01T00:00:00.000Z';

/** A seed as if it were in the tables. */
export function recordOf({ name, ...text }: SeedArticle): ArticleRecord {
  return {
    ...text,
    articleId: seedArticleId(name),
    contentHash: articleHash(text),
    version: 1,
    origin: 'PLATFORM',
    changedBy: 'knowledge-seed',
    addedAt: at,
    changedAt: at,
  };
}

/** The provider double's embeddings, without the provider. */
export const hashedEmbeddings: Embeddings = {
  model: 'hashed',
  embed: (texts) => Promise.resolve(texts.map(hashedEmbedding)),
};

/** An index over these articles alone, loaded. @param withVectors of every passage, the double's */
export async function indexOver(
  articles: readonly ArticleRecord[],
  withVectors: boolean,
): Promise<KnowledgeIndex> {
  const embedded = new Map(
    articles.flatMap(passagesOf).map(({ hash, embedded: text }) => [hash, hashedEmbedding(text)]),
  );
  const index = createKnowledgeIndex({
    articles: {
      contentHashes: () =>
        Promise.resolve(new Map(articles.map((each) => [each.articleId, each.contentHash]))),
      articles: (ids) =>
        Promise.resolve(articles.filter(({ articleId }) => ids.includes(articleId))),
    },
    vectors: { load: () => Promise.resolve(embedded) },
    model: withVectors ? hashedEmbeddings.model : null,
    feed: createNotificationHub(),
    onFailure: (cause) => {
      throw cause;
    },
  });
  await index.refresh();
  return index;
}
