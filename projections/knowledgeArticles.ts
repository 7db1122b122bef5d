import { placeAt, snapshotBehind } from '../application/ports/listSnapshot.ts';
import { type Kysely, sql } from 'kysely';
import type { KnowledgeArticles } from '../application/assistant/ports/knowledgeArticles.ts';
import type { Database } from './database.ts';
import { columnsBut, records } from './engine/readModel.ts';
import type { ListedTable } from './engine/snapshots.ts';
import { beginningOf, isBehind, isUpTo, newestRow } from './engine/snapshots.ts';
import { knowledgeArticlesReadModel } from './models/knowledgeArticles.ts';

const listed: ListedTable = {
  table: 'knowledge_article_view',
  // An article that is changed keeps its place.
  time: 'added_at',
  key: 'article_id',
};

const shown = columnsBut(knowledgeArticlesReadModel, 'removed', 'search', 'revision');
const toRecord = records(shown);

/** Queries over the knowledge base. Articles are counted in hundreds, and lists of them are looked through whole. */
export function createKnowledgeArticles(database: Kysely<Database>): KnowledgeArticles {
  const present = database.selectFrom('knowledge_article_view').where('removed', '=', false);
  return {
    async articlePage({ query, language, origin, limit, offset, snapshot: wished }) {
      const snapshot = wished ?? (await newestRow(database, listed));
      const beginning = beginningOf({ offset, snapshot });
      const sought = query?.normalize('NFC').toLowerCase() ?? '';
      const selected = present
        .where(isUpTo(listed, snapshot))
        .$if(sought !== '', (some) =>
          some.where(sql<boolean>`position(${sought} in ${sql.ref('search')}) > 0`),
        )
        .$if(language !== null, (some) => some.where('language', '=', language ?? 'mn'))
        .$if(origin !== null, (some) => some.where('origin', '=', origin ?? 'OPERATOR'));
      const [rows, { total }] = await Promise.all([
        selected
          .select(shown)
          .where(isBehind(listed, beginning.after))
          .orderBy('added_at', 'desc')
          .orderBy('article_id', 'desc')
          .limit(limit)
          .offset(beginning.offset)
          .execute(),
        selected.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow(),
      ]);
      const last = rows.at(-1);
      const place = last && placeAt(last.added_at, last.article_id);
      return {
        items: rows.map(toRecord),
        total: Number(total),
        snapshot: snapshotBehind(snapshot, offset + rows.length, place),
      };
    },
    async article(articleId) {
      const row = await present
        .select(shown)
        .where('article_id', '=', articleId)
        .executeTakeFirst();
      return row === undefined ? null : toRecord(row);
    },
    async contentHashes() {
      const rows = await present.select(['article_id', 'content_hash']).execute();
      return new Map(rows.map(({ article_id, content_hash }) => [article_id, content_hash]));
    },
    async articles(articleIds) {
      const rows = await present
        .select(shown)
        .where('article_id', '=', sql<string>`any(${[...articleIds]}::text[])`)
        .execute();
      return rows.map(toRecord);
    },
  };
}
