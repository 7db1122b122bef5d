import { knowledgeTopic } from '../../domain/shared/streams.ts';
import {
  type ArticleOrigin,
  type AssistantLanguage,
  type KnowledgeArticleEvent,
  knowledgeArticleEvents,
} from '../../domain/assistant/events.ts';
import {
  boolean,
  int8,
  jsonb,
  nullable,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
} from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  article_id: text(),
  title: text(),
  content: text(),
  tags: jsonb<readonly string[]>(),
  language: text<AssistantLanguage>(),
  source: nullable(text()),
  origin: text<ArticleOrigin>(),
  content_hash: text(),
  removed: boolean(),
  /** Number of times it was added, changed or removed. */
  version: int8(),
  added_at: timestamptz(),
  /** Last editor: an operator's id, or another actor of the log. */
  changed_by: text(),
  changed_at: timestamptz(),
  /** Searchable text, lower case. */
  search: text(),
  revision: int8(),
};

/** An article of the knowledge base as folded; times are ISO strings. */
export type KnowledgeArticleRow = RowOf<typeof columns>;
export type KnowledgeArticleTable = TableOf<typeof columns>;

function evolve(
  row: KnowledgeArticleRow | undefined,
  event: KnowledgeArticleEvent,
  changedBy: string,
): KnowledgeArticleRow | undefined {
  const version = (row?.version ?? 0n) + 1n;
  if (event.type === 'KnowledgeArticleRemoved') {
    if (row === undefined) return undefined;
    const { removedAt } = event.data;
    return { ...row, removed: true, version, changed_by: changedBy, changed_at: removedAt };
  }
  const { articleId, title, content, tags, language, source, origin, contentHash } = event.data;
  const at = event.type === 'KnowledgeArticleAdded' ? event.data.addedAt : event.data.changedAt;
  return {
    article_id: articleId,
    title,
    content,
    tags,
    language,
    source,
    origin,
    version,
    content_hash: contentHash,
    removed: false,
    added_at: row?.added_at ?? at,
    changed_by: changedBy,
    changed_at: at,
    search: [title, ...tags, source ?? '', content].join('\n').normalize('NFC').toLowerCase(),
    revision: 0n,
  };
}

/** The knowledge base, table `knowledge_article_view`. */
export const knowledgeArticlesReadModel = readModel({
  name: 'knowledgeArticles',
  table: 'knowledge_article_view',
  events: knowledgeArticleEvents,
  key: 'article_id',
  columns,
  shown: ['title', 'content', 'tags', 'language', 'source', 'removed', 'version'],
  evolve: (row, event, _key, { metadata }) => evolve(row, event, metadata.actor.id),
  topics: () => [knowledgeTopic],
});
