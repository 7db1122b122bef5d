import pg from 'pg';
import type {
  ArchiveCatalog,
  ArchiveEntry,
  CatalogedEntry,
} from '../../application/archive/ports/archive.ts';
import { orUnavailable } from './pool.ts';
import { sessionAt } from './session.ts';

/** Columns of `archive_entry` as fields of {@link CatalogedEntry}; counts as numbers, which a double holds exactly. */
const FIELDS = `name, first_position as first, last_position as last, streams::float8, events::float8, bytes::float8,
  lowest_stream as "lowestStream", highest_stream as "highestStream", lowest_id as "lowestId",
  highest_id as "highestId", directory_sha256 as "directorySha256", archived_at as "archivedAt",
  restored_at as "restoredAt", is_removed as "isRemoved"`;

/** Columns of `archive_entry`, in the order of {@link valuesOf}. */
const COLUMNS = `name, first_position, last_position, streams, events, bytes, lowest_stream, highest_stream,
  lowest_id, highest_id, directory_sha256, archived_at`;

/** Inserts an entry whose events are still to be removed; an existing one is unchanged. */
export const insertEntry = `
  insert into archive_entry (${COLUMNS}, is_removed)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, false) on conflict (name) do nothing`;

export function valuesOf(entry: ArchiveEntry): unknown[] {
  const { name, first, last, streams, events, bytes, archivedAt } = entry;
  const { lowestStream, highestStream, lowestId, highestId, directorySha256 } = entry;
  return [
    ...[name, first, last, streams, events, bytes],
    ...[lowestStream, highestStream, lowestId, highestId, directorySha256, archivedAt],
  ];
}

/** {@link ArchiveCatalog} in the table `archive_entry`. */
export function createArchiveCatalog(pool: pg.Pool): ArchiveCatalog {
  async function entries(condition: string, values: unknown[] = []) {
    const text = `select ${FIELDS} from archive_entry ${condition} order by first_position`;
    const { rows } = await orUnavailable('database', () =>
      pool.query<CatalogedEntry>(text, values),
    );
    return rows;
  }

  return {
    entries: () => entries(''),
    async totals() {
      const { rows } = await orUnavailable('database', () =>
        pool.query<{ sessions: bigint; events: bigint; bytes: bigint; newest: Date | null }>(
          `select coalesce(sum(streams), 0)::int8 as sessions, coalesce(sum(events), 0)::int8 as events,
             coalesce(sum(bytes), 0)::int8 as bytes, max(archived_at) filter (where events > 0) as newest
           from archive_entry where restored_at is null`,
        ),
      );
      const [sums] = rows;
      return {
        sessions: Number(sums?.sessions ?? 0),
        events: Number(sums?.events ?? 0),
        bytes: Number(sums?.bytes ?? 0),
        newestAt: sums?.newest ?? null,
      };
    },
    mayHold: (key, value) =>
      entries(
        key === 'stream'
          ? 'where events > 0 and $1 between lowest_stream and highest_stream'
          : 'where events > 0 and $1 between lowest_id and highest_id',
        [value],
      ),
    overlapping: (after, upTo) =>
      entries('where events > 0 and last_position > $1 and first_position <= $2', [after, upTo]),
  };
}

/** Number of archive entries of the log in PostgreSQL; 0 before the first. @throws Unavailable(database) */
export function countArchiveEntries(url: string): Promise<number> {
  return orUnavailable('database', () => countEntries(url));
}

async function countEntries(url: string): Promise<number> {
  const client = new pg.Client(sessionAt(url));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('archive_entry') is not null as found`,
    );
    if (rows[0]?.found !== true) return 0;
    const { rowCount } = await client.query(
      'select from archive_entry where events > 0 and restored_at is null',
    );
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
