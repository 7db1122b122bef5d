import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type {
  ArchivableLog,
  ArchiveEntry,
  NothingToArchive,
  PositionRange,
} from '../../application/archive/ports/archive.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { copyLine } from './copyWriter.ts';
import { inTransaction } from './transaction.ts';
import { insertEntry, valuesOf } from './archiveCatalog.ts';
import { shrinkPartition } from './shrinkPartition.ts';

type Batches = () => AsyncIterable<readonly LoggedEvent[]>;

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

/** Followers of the log that have not passed a position. */
const BEHIND = `
  select name from checkpoint where position is null or position < $1
  union all select 'audit tree' from audit_tree where last_position is null or last_position < $1
  limit 1`;

/** Waits for rebuilds, which would put rows back that are being deleted; one begun meanwhile is refused. */
const NO_REBUILDS = `
  select pg_advisory_xact_lock(hashtextextended('tamga-rebuild-' || name, 0)) from unnest('{audit,sessions}'::text[]) as r(name)`;

/** Deletes by what the temporary table has. The sums of statistics stay: the sessions happened. */
const removals = ({ first, last }: PositionRange) => [
  `delete from audit_view v using archived_event a
    where v.position between ${first} and ${last} and v.position = a.position`,
  `delete from stream_head h using archived_event a where h.stream = a.stream and a.revision = 0`,
  `delete from session_view v using archived_event a
    where v.session_id = substr(a.stream, 9) and a.revision = 0`,
];

/** {@link ArchivableLog} of the log in PostgreSQL: whole partitions that nothing is appended to any more. */
export function createPostgresArchivableLog(pool: pg.Pool): ArchivableLog {
  async function nextRange(before: Date): Promise<PositionRange | NothingToArchive> {
    const { rows } = await pool.query<{
      from_position: bigint;
      to_position: bigint;
      is_old: boolean;
    }>(NEXT, [before]);
    const [next] = rows;
    if (next === undefined) return { reason: 'notPartitioned' };
    if (!next.is_old) return { reason: 'notOldEnough' };
    const { rows: behind } = await pool.query<{ name: string }>(BEHIND, [next.to_position]);
    const [follower] = behind;
    return follower === undefined
      ? { first: next.from_position, last: next.to_position }
      : { reason: 'behind', follower: follower.name };
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
    await pool.query('update archive_entry set is_removed = true where name = $1', [entry.name]);
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
        await client.query(NO_REBUILDS);
        const noted = await client.query(insertEntry, valuesOf(entry));
        if (noted.rowCount === 0 || entry.events === 0) return;
        await load(client, events, false);
        await dropCopy(client, entry);
        const { first, last } = entry;
        const deleted = await client.query(
          `delete from event e using archived_event a
           where e.position between ${first} and ${last} and e.position = a.position and e.event_id = a.id`,
        );
        if (deleted.rowCount !== entry.events) {
          throw new Error(
            `${entry.name} holds ${entry.events} events, of which the log has ${deleted.rowCount}: nothing was removed.`,
          );
        }
        for (const removal of removals(entry)) await client.query(removal);
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
        await load(client, events, true);
        await dropCopy(client, entry);
        const stored = await client.query(
          `insert into event (position, stream, revision, event_id, type, data, metadata)
           select position, stream, revision, id, type, data, metadata from archived_event order by position`,
        );
        if (stored.rowCount !== entry.events) {
          throw new Error(
            `${entry.name} has ${stored.rowCount} events, not ${entry.events}: nothing was restored.`,
          );
        }
        await client.query(
          `insert into stream_head (stream, revision, first_position, last_position)
           select stream, max(revision), min(position), max(position) from archived_event group by stream`,
        );
      }),
    async forget(entry) {
      await pool.query(
        'delete from archive_entry where name = $1 and (restored_at is not null or events = 0)',
        [entry.name],
      );
    },
  };
}

/** Copies events into the temporary table `archived_event`; what they say only where it is needed. */
async function load(client: pg.PoolClient, events: Batches, withTexts: boolean): Promise<void> {
  await client.query(
    `create temporary table archived_event (
       position bigint primary key, stream text collate "C" not null, revision bigint not null, id uuid not null,
       type text, data text, metadata text
     ) on commit drop`,
  );
  const line = ({ position, stream, revision, id, type, data, metadata }: LoggedEvent) => {
    const texts = withTexts ? [type, data, metadata] : [null, null, null];
    return copyLine([String(position), stream, String(revision), id, ...texts]);
  };
  async function* lines() {
    for await (const batch of events()) yield batch.map(line).join('');
  }
  await pipeline(Readable.from(lines()), client.query(copyFrom('copy archived_event from stdin')));
  await client.query('analyze archived_event');
}
