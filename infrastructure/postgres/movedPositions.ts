import type pg from 'pg';
import type { MovedPositions } from '../../application/log/ports/logCopy.ts';
import { failingFast } from './availability.ts';
import { createCopyWriter } from './copyWriter.ts';
import { inTransaction } from './transaction.ts';

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
    // Positions in leaves of version 1 are preserved from the first move on.
    `insert into audit_tree_position (index, position)
     select index, source from moved_event where index < (select version_two_from from audit_tree)
     on conflict do nothing`,
    `update audit_tree set last_position = ${movedTo('last_position')}`,
    // In two steps, as a new position may be the old one of another event.
    'update parked_event set position = -destination from moved_event where source = position',
    'update parked_event set position = -position where position < 0',
    // Of ranges without sessions, or put back: what the archive had is in the log.
    'delete from archive_entry',
  ];

  return failingFast<MovedPositions>({
    begin: async () => {
      await pool.query(BEGIN);
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
        await moveAudit(client);
        for (const step of steps) await client.query(step);
        await client.query('update log_identity set epoch = $1', [followed.epoch]);
        await client.query('drop table moved_event');
      }),
  });
}

interface Index {
  readonly name: string;
  readonly definition: string;
  readonly is_primary: boolean;
}

const AUDIT_INDEXES = `
  select pg_get_indexdef(indexrelid) as definition, indisprimary as is_primary,
    quote_ident(relname) as name
  from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = 'audit_view'::regclass`;

/** Drops the indexes meanwhile: maintaining them row by row takes more than twice as long. */
async function moveAudit(client: pg.PoolClient): Promise<void> {
  const { rows: indexes } = await client.query<Index>(AUDIT_INDEXES);
  for (const { name, is_primary: isPrimary } of indexes) {
    await client.query(
      isPrimary ? `alter table audit_view drop constraint ${name}` : `drop index ${name}`,
    );
  }
  const { rowCount: moved } = await client.query(
    'update audit_view set position = destination from moved_event where source = position',
  );
  const { rows } = await client.query<{ readonly all: bigint }>(
    'select count(*) as all from audit_view',
  );
  if (rows[0]?.all !== BigInt(moved ?? 0)) {
    throw new Error('Invariant violated: an audited event is not in the log.');
  }
  for (const { name, definition, is_primary: isPrimary } of indexes) {
    await client.query(definition);
    if (isPrimary) await client.query(`alter table audit_view add primary key using index ${name}`);
  }
}
