import pg from 'pg';
import type {
  ArchivableLog,
  ArchiveEntry,
  NothingToArchive,
  PositionRange,
} from '../../application/archive/ports/archive.ts';
import {
  deleteRows,
  followerBehind,
  forgetEntry,
  loadEvents,
  markRemoved,
  noteEntry,
} from './archivedRows.ts';
import { shrinkPartition } from './shrinkPartition.ts';
import { inTransaction } from './pool.ts';

/**
 * The first positions of a partition that no entry has, of a partition that is not among the newest three, which guard
 * ids and are written to. A partition of before may be larger than others; it is archived piece by piece.
 */
const NEXT = `
  select n.from_position, n.to_position, coalesce((
      select (e.metadata::json ->> 'time')::timestamptz < $1 from event e
      where e.position between n.from_position and n.to_position order by e.position desc limit 1
    ), true) as is_old
  from (
    select g.start as from_position, least(p.last, g.start + s.partition_size - 1,
        (select min(a.first_position) - 1 from archive_entry a where a.first_position > g.start)) as to_position
    from event_partitioning s,
      (select *, row_number() over (order by first desc) as age from event_partition) as p,
      lateral (
        select p.first as start union
        select a.last_position + 1 from archive_entry a where a.first_position between p.first and p.last
      ) as g
    where p.age > 3 and g.start <= p.last and not exists (
      select from archive_entry a where g.start between a.first_position and a.last_position)
    order by g.start limit 1
  ) as n`;

/** {@link ArchivableLog} of the log in PostgreSQL: whole partitions that nothing is appended to any more. */
export function createPostgresArchivableLog(pool: pg.Pool): ArchivableLog {
  async function nextRange(before: Date): Promise<PositionRange | NothingToArchive> {
    const { rows } = await pool.query<{
      from_position: bigint;
      to_position: bigint;
      is_old: boolean;
    }>(NEXT, [before]);
    const [next] = rows;
    if (next === undefined) return { reason: 'newest' };
    if (!next.is_old) return { reason: 'notOldEnough' };
    const follower = await followerBehind(pool, next.to_position);
    return follower === undefined
      ? { first: next.from_position, last: next.to_position }
      : { reason: 'behind', follower };
  }

  /** Gives the room of a partition back when all its positions were archived. */
  async function shrink(entry: ArchiveEntry): Promise<void> {
    const { rows } = await pool.query<{ name: string }>(
      `select name from event_partition where last = $1 and exists (
         select from archive_entry where first_position between first and last and events > 0)`,
      [entry.last],
    );
    const [partition] = rows;
    if (partition !== undefined && !(await shrinkPartition(pool, partition.name))) return;
    await markRemoved(pool, entry);
  }

  /** Drops a copy of the entry's partition, which would lack what is written now. */
  async function dropCopy(client: pg.PoolClient, { first }: ArchiveEntry): Promise<void> {
    const { rows } = await client.query<{ name: string }>(
      'select name from event_partition where $1 between first and last',
      [first],
    );
    const [partition] = rows;
    if (partition === undefined) return;
    await client.query(`drop table if exists ${pg.escapeIdentifier(`${partition.name}_copy`)}`);
  }

  return {
    nextRange,
    async takeOut(entry, events) {
      await inTransaction(pool, async (client) => {
        if (!(await noteEntry(client, entry)) || entry.events === 0) return;
        await loadEvents(client, events, false);
        await dropCopy(client, entry);
        const { first, last } = entry;
        const deleted = await client.query(
          `delete from event e using archived_event a
           where e.position between ${first} and ${last} and e.position = a.position and e.event_id = a.id`,
        );
        if (deleted.rowCount !== entry.events) {
          throw new Error(
            `${entry.name} has ${entry.events} events, of which the log has ${deleted.rowCount}. Nothing was removed.`,
          );
        }
        await client.query(
          'delete from stream_head h using archived_event a where h.stream = a.stream and a.revision = 0',
        );
        await deleteRows(client, entry);
      });
      await shrink(entry);
    },
    putBack: (entry, events) =>
      inTransaction(pool, async (client) => {
        const marked = await client.query(
          'update archive_entry set restored_at = now() where name = $1 and restored_at is null',
          [entry.name],
        );
        if (marked.rowCount === 0 || entry.events === 0) return;
        await loadEvents(client, events, true);
        await dropCopy(client, entry);
        const stored = await client.query(
          `insert into event (position, stream, revision, event_id, type, data, metadata)
           select position, stream, revision, id, type, data, metadata from archived_event order by position`,
        );
        if (stored.rowCount !== entry.events) {
          throw new Error(
            `${entry.name} has ${stored.rowCount} events, not ${entry.events}. Nothing was restored.`,
          );
        }
        await client.query(
          `insert into stream_head (stream, revision, first_position, last_position)
           select stream, max(revision), min(position), max(position) from archived_event group by stream`,
        );
      }),
    forget: (entry) => forgetEntry(pool, entry),
  };
}
