import type pg from 'pg';
import type { UnsettledFiles } from '../../application/document/ports/unsettledFiles.ts';
import { failingFast } from './pool.ts';

/** Unsettled files in the table `unsettled_file`. */
export function createPostgresUnsettledFiles(pool: pg.Pool): UnsettledFiles {
  return failingFast<UnsettledFiles>({
    async note(files, now) {
      await pool.query(
        `insert into unsettled_file (file_id, document_id, noted_at)
         select file_id, document_id, $3 from unnest($1::text[], $2::text[]) as noted (file_id, document_id)
         on conflict (file_id) do update set noted_at = excluded.noted_at`,
        [files.map(({ fileId }) => fileId), files.map(({ documentId }) => documentId), now],
      );
    },
    async settle(fileIds, notedBefore) {
      await pool.query(
        `delete from unsettled_file where file_id = any($1::text[])
            and ($2::timestamptz is null or noted_at < $2)`,
        [fileIds, notedBefore ?? null],
      );
    },
    async notedBefore(moment, limit, after) {
      const { rows } = await pool.query<{ file_id: string; document_id: string }>(
        `select file_id, document_id from unsettled_file
          where noted_at < $1 and file_id > $2 order by file_id limit $3`,
        [moment, after?.fileId ?? '', limit],
      );
      return rows.map((row) => ({ fileId: row.file_id, documentId: row.document_id }));
    },
  });
}
