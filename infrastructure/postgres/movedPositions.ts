import type pg from 'pg';
import type { MovedPositions } from '../../application/log/ports/logCopy.ts';
import { failingFast, inTransaction } from './pool.ts';
import { createCopyWriter } from './copyWriter.ts';

/** Not written to the WAL: after a crash of the database the move starts over. */
const BEGIN = `
  drop table if exists moved_event;
  create unlogged table moved_event (
    index bigint not null, event_id uuid not null, source bigint not null, destination bigint not null
  )`;

const COLUMNS = ['index', 'event_id', 'source', 'destination'];

/** Position of the same event, or that of the preceding one for a checkpoint between two events. */
const movedTo = (position: string) =>
  `(select destination from moved_event where source <= ${position} order by source desc limit 1)`;

const NOT_ADDED = `
  select name from (
    select name, position from checkpoint
    union all select 'the tree over the log', last_position from audit_tree
    union all (select 'the audit', position from audit_view order by position desc limit 1)
  ) as kept
  where position is not null
    and not exists (select from moved_event where source <= position)`;

/**
 * {@link MovedPositions} in the database of the read models: the checkpoints, the tree over the log, parked events and
 * the audit, whose rows are keyed by position.
 *
 * @param logIsHere the destination is in this database; otherwise the event ids are stored with the tree, as the log
 * cannot look them up
 */
export function createPostgresMovedPositions(pool: pg.Pool, logIsHere: boolean): MovedPositions {
  const writer = createCopyWriter({ pool });
  const steps = [
    `update checkpoint set position = ${movedTo('position')} where position is not null`,
    ...(logIsHere
      ? []
      : [
          `insert into audit_tree_event (event_id, index)
           select event_id, index from moved_event where index < (select size from audit_tree)
           on conflict do nothing`,
        ]),
    `update audit_tree set last_position = ${movedTo('last_position')}`,
    // In two steps, as a new position may be the old one of another event.
    'update parked_event set position = -destination from moved_event where source = position',
    'update parked_event set position = -position where position < 0',
    // Of ranges without sessions, or put back: what the archive had is in the log.
    'delete from archive_entry',
  ];

  return failingFast<MovedPositions>({
    begin: async ({ source, destination }) => {
      await pool.query(BEGIN);
      await pool.query(
        `insert into log_move (source, destination) values ($1, $2)
         on conflict (singleton) do update set source = excluded.source, destination = excluded.destination`,
        [source, destination],
      );
    },
    async add(events) {
      const rows = await writer.open('moved_event', COLUMNS);
      await rows.write(
        events.map(({ index, id, source, destination }) => [
          ...[String(index), id, String(source), String(destination)],
        ]),
      );
      await rows.end();
    },
    rewrite: (followed) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ readonly epoch: number }>(
          'select epoch from log_identity for update',
        );
        if (rows[0]?.epoch === followed.epoch) return;
        await client.query('create index on moved_event (source) include (destination)');
        await client.query('analyze moved_event');
        const { rows: unknown } = await client.query<{ readonly name: string }>(NOT_ADDED);
        if (unknown.length > 0) {
          const names = unknown.map(({ name }) => name).join(', ');
          throw new Error(`Checkpoints without an event in the copied log: ${names}.`);
        }
        for (const step of steps) await client.query(step);
        await moveAudit(client);
        await client.query('update log_identity set epoch = $1', [followed.epoch]);
        await client.query('drop table moved_event');
        await client.query('delete from log_move');
      }),
  });
}

const AUDIT_INDEXES = `
  select replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index where indrelid = 'audit_view'::regclass and not indisprimary`;

const AUDIT_COLUMNS = `
  select string_agg(quote_ident(attname), ', ') as names from pg_attribute
  where attrelid = 'audit_view'::regclass and attnum > 0 and not attisdropped and attname <> 'position'`;

/** Writes the rows anew, as positions of another log need other partitions: those the moved checkpoint tells. */
async function moveAudit(client: pg.PoolClient): Promise<void> {
  const { rows: indexes } = await client.query<{ readonly definition: string }>(AUDIT_INDEXES);
  const { rows: columns } = await client.query<{ readonly names: string }>(AUDIT_COLUMNS);
  const names = columns[0]?.names ?? '';
  await client.query(`select make_partitioned_view('audit_view', 'audit_view_moved')`);
  await client.query(`select keep_view_partitions('audit_view_moved', null)`);
  const { rowCount: moved } = await client.query(
    `insert into audit_view_moved (position, ${names}) select destination, ${names}
     from audit_view join (select source, destination from moved_event) as m on source = position
     order by destination`,
  );
  const { rows } = await client.query<{ readonly all: bigint }>(
    'select count(*) as all from audit_view',
  );
  if (rows[0]?.all !== BigInt(moved ?? 0)) {
    throw new Error('Invariant violated: an audited event is not in the log.');
  }
  await client.query('drop table audit_view');
  for (const name of [...(await partitionsOf(client, 'audit_view_moved')), 'audit_view_moved']) {
    await client.query(`alter table ${name} rename to ${name.replace('_moved', '')}`);
  }
  await client.query('alter table audit_view add primary key (position)');
  for (const { definition } of indexes) await client.query(definition);
}

async function partitionsOf(client: pg.PoolClient, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string }>(
    'select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = $1::regclass',
    [table],
  );
  return rows.map(({ name }) => name);
}
