import { type Kysely, sql } from 'kysely';
import type { NoticeViews } from '../application/device/ports/noticeViews.ts';
import type { Database } from './database.ts';

/** Notices shown at once. */
const SHOWN = 50;

export function createNoticeViews(database: Kysely<Database>): NoticeViews {
  return {
    async noticesFor(documentNumber, since) {
      const rows = await database
        .selectFrom('notice_view')
        .select('given')
        .where(sql<boolean>`phones @> ${JSON.stringify([documentNumber])}::jsonb`)
        .where('given_at', '>', since)
        .orderBy('given_at', 'desc')
        .orderBy('notice_id')
        .limit(SHOWN)
        .execute();
      return rows.map(({ given }) => given);
    },
  };
}
