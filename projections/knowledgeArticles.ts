import { type Kysely, type Selectable, sql } from 'kysely';
import type { ArticleRecord, KnowledgeArticles } from '../application/ports/knowledgeArticles.ts';
import { knowledgeTopic } from '../application/ports/wake.ts';
import type { KnowledgeArticleEvent } from '../domain/assistant/events.ts';
import type { Database, KnowledgeArticleRow, KnowledgeArticleTable } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

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
    ...{ title, content, tags, language, source, origin, version },
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
export const knowledgeArticlesReadModel = readModel<KnowledgeArticleRow, KnowledgeArticleEvent>({
  name: 'knowledgeArticles',
  table: 'knowledge_article_view',
  category: 'knowledgeArticle',
  key: 'article_id',
  columns: {
    article_id: 'text',
    title: 'text',
    content: 'text',
    tags: 'jsonb',
    language: 'text',
    source: 'text',
    origin: 'text',
    content_hash: 'text',
    removed: 'boolean',
    version: 'int8',
    added_at: 'timestamptz',
    changed_by: 'text',
    changed_at: 'timestamptz',
    search: 'text',
    revision: 'int8',
  },
  evolve: (row, event, _key, { metadata }) => evolve(row, event, metadata.actor.id),
  topics: () => [knowledgeTopic],
});

// Queries

/** Queries over the knowledge base. Articles are counted in hundreds, and lists of them are looked through whole. */
export function createKnowledgeArticles(database: Kysely<Database>): KnowledgeArticles {
  const present = database.selectFrom('knowledge_article_view').where('removed', '=', false);
  return {
    async articlePage({ query, language, origin, limit, offset }) {
      const sought = query?.normalize('NFC').toLowerCase() ?? '';
      const selected = present
        .$if(sought !== '', (some) =>
          some.where(sql<boolean>`position(${sought} in ${sql.ref('search')}) > 0`),
        )
        .$if(language !== null, (some) => some.where('language', '=', language ?? 'mn'))
        .$if(origin !== null, (some) => some.where('origin', '=', origin ?? 'OPERATOR'));
      const [rows, { total }] = await Promise.all([
        selected
          .selectAll()
          .orderBy('changed_at', 'desc')
          .orderBy('article_id')
          .limit(limit)
          .offset(offset)
          .execute(),
        selected.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow(),
      ]);
      return { items: rows.map(toRecord), total: Number(total) };
    },
    async article(articleId) {
      const row = await present.selectAll().where('article_id', '=', articleId).executeTakeFirst();
      return row === undefined ? null : toRecord(row);
    },
    async contentHashes() {
      const rows = await present.select(['article_id', 'content_hash']).execute();
      return new Map(rows.map(({ article_id, content_hash }) => [article_id, content_hash]));
    },
    async articles(articleIds) {
      const rows = await present
        .selectAll()
        .where('article_id', '=', sql<string>`any(${[...articleIds]}::text[])`)
        .execute();
      return rows.map(toRecord);
    },
  };
}

function toRecord(row: Selectable<KnowledgeArticleTable>): ArticleRecord {
  const { title, content, tags, language, source, origin } = row;
  return {
    articleId: row.article_id,
    ...{ title, content, tags, language, source, origin },
    contentHash: row.content_hash,
    version: Number(row.version),
    changedBy: row.changed_by,
    addedAt: row.added_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
  };
}
