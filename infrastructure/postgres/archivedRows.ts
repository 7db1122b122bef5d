import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ArchiveEntry, PositionRange } from '../../application/archive/ports/archive.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { insertEntry, valuesOf } from './archiveCatalog.ts';
import { copyLine } from './copyWriter.ts';

// Steps of archiving in the database of the read models, wherever the log is.

type Batches = () => AsyncIterable<readonly LoggedEvent[]>;

/** Locks of rebuilds that would put rows back which are being deleted. */
const REBUILDS = `
  select name, hashtextextended('tamga-rebuild-' || name, 0) as key from unnest('{audit,sessions}'::text[]) as r(name)`;

/** Followers of the log that have not passed a position, and rebuilds that run. */
const BEHIND = `
  select name from checkpoint where position is null or position < $1
  union all select 'audit tree' from audit_tree where last_position is null or last_position < $1
  union all select 'rebuild of ' || name from (${REBUILDS}) as r where exists (
    select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::int8 << 32) | objid::int8 = key)
  limit 1`;

/** Keeps rebuilds out; does not wait for one, which would keep a snapshot for hours. */
const NO_REBUILDS = `select bool_and(pg_try_advisory_xact_lock(key)) as taken from (${REBUILDS}) as r`;

/** A follower of the log that has not passed a position, or a rebuild that runs; undefined: neither. */
export async function followerBehind(pool: pg.Pool, position: bigint): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string }>(BEHIND, [position]);
  return rows[0]?.name;
}

/** Notes an entry. @returns false when it was noted before @throws Error while sessions or the audit are rebuilt */
export async function noteEntry(client: pg.PoolClient, entry: ArchiveEntry): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(NO_REBUILDS);
  if (rows[0]?.taken !== true) {
    throw new Error(
      'The read model of sessions or of the audit trail is being rebuilt. Archiving continues when that is done.',
    );
  }
  return (await client.query(insertEntry, valuesOf(entry))).rowCount === 1;
}

/** Copies events into the temporary table `archived_event`; what they say only where it is needed. */
export async function loadEvents(
  client: pg.PoolClient,
  events: Batches,
  withTexts: boolean,
): Promise<void> {
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

/** Deletes the rows of read models of what `archived_event` has. The sums of statistics stay: the sessions happened. */
export async function deleteRows(
  client: pg.PoolClient,
  { first, last }: PositionRange,
): Promise<void> {
  await client.query(
    `delete from audit_view v using archived_event a
     where v.position between ${first} and ${last} and v.position = a.position`,
  );
  // The bounds tell the partitions.
  await client.query(
    `delete from session_view v using archived_event a
     where v.session_id = substr(a.stream, 9) and a.revision = 0
       and v.session_id >= (select substr(min(stream), 9) collate "default" from archived_event)
       and v.session_id <= (select substr(max(stream), 9) collate "default" from archived_event)`,
  );
}

/** Keeps that nothing of an entry is left in the log. */
export async function markRemoved(pool: pg.Pool, { name }: ArchiveEntry): Promise<void> {
  await pool.query('update archive_entry set is_removed = true where name = $1', [name]);
}

/** Forgets an entry that was put back, or that has no events. */
export async function forgetEntry(pool: pg.Pool, { name }: ArchiveEntry): Promise<void> {
  await pool.query(
    'delete from archive_entry where name = $1 and (restored_at is not null or events = 0)',
    [name],
  );
}
