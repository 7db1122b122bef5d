import type { Readable } from 'node:stream';
import { Readable as Source } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** A table with its columns, whose rows are copied in COPY's text format. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The log, which is copied in the order of its positions: its rows are hashed as they pass. */
export const LOG_TABLE: CopiedTable = {
  name: 'event',
  columns: ['position', 'stream', 'revision', 'event_id', 'type', 'data', 'metadata'],
};

/**
 * Persons' keys. Destroying one truncates its partition, after which an older snapshot shows nothing of it: the lock that
 * keeps it whole is held for as long as it takes to copy this table, as whoever forgets a person waits for it.
 */
const KEYS = 'person_key';

interface Row {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * All tables of the schema, by name; of partitioned ones the parents. Without those of the migrations, and those that a
 * rebuild or an archive run is filling, which end with it or are dropped by the next.
 */
export async function copiedTables(
  client: pg.Pool | pg.PoolClient,
): Promise<readonly CopiedTable[]> {
  const { rows } = await client.query<Row>(`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and not a.attisdropped and a.attgenerated = ''
      and c.relname not like 'kysely\\_%' and c.relname not like '%\\_rebuild'
      and c.relname !~ '^event_from_\\d+_copy$'
    group by c.relname order by c.relname`);
  return rows.map(({ name, columns }) => (name === LOG_TABLE.name ? LOG_TABLE : { name, columns }));
}

/** Number of rows of all tables, as PostgreSQL last estimated it; 0: never. */
export async function expectedRows(client: pg.Pool): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`
    select coalesce(sum(greatest(reltuples, 0)), 0)::float8 as count from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'`);
  return Math.round(rows[0]?.count ?? 0);
}

/** Names of the migrations the schema has. */
export async function schemaOf(client: pg.Pool | pg.PoolClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from kysely_migration order by name',
  );
  return rows.map(({ name }) => name);
}

/**
 * Reads all tables as of one moment. Nothing that writes waits for it, but for who forgets a person while the persons'
 * keys are read, and for upkeep that drops partitions.
 *
 * @param use is given each table and its rows, which it reads to the end; persons' keys come first
 */
export async function readSnapshot(
  pool: pg.Pool,
  use: (table: CopiedTable, rows: Readable) => Promise<void>,
): Promise<void> {
  // Asked before the snapshot is taken, which the first query of its transaction does; a lock does not.
  const tables = await copiedTables(pool);
  const [lasting, short] = [await pool.connect(), await pool.connect()];
  try {
    for (const client of [lasting, short]) {
      await client.query('begin isolation level repeatable read, read only');
    }
    const others = tables.filter(({ name }) => name !== KEYS);
    await lock(lasting, others);
    const keys = tables.filter(({ name }) => name === KEYS);
    await lock(short, keys);
    const { rows } = await short.query<{ id: string }>('select pg_export_snapshot() as id');
    await lasting.query(`set transaction snapshot ${pg.escapeLiteral(rows[0]?.id ?? '')}`);
    for (const table of keys) await use(table, rowsOf(short, table));
    await short.query('commit');
    for (const table of others) await use(table, rowsOf(lasting, table));
    await lasting.query('commit');
  } finally {
    // Closed: a copy that was not read to its end, or a transaction that failed, would go on in them.
    short.release(true);
    lasting.release(true);
  }
}

async function lock(client: pg.PoolClient, tables: readonly CopiedTable[]): Promise<void> {
  const names = tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ');
  await client.query(`lock table ${names} in access share mode`);
}

function rowsOf(client: pg.PoolClient, table: CopiedTable): Readable {
  const { name } = table;
  const order = name === LOG_TABLE.name ? ' order by position' : '';
  return client.query(
    copyTo(`copy (select ${columnsOf(table)} from ${pg.escapeIdentifier(name)}${order}) to stdout`),
  );
}

function columnsOf({ columns }: CopiedTable): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(', ');
}

/** Replaces the rows of a table. */
export async function writeTable(
  client: pg.PoolClient,
  table: CopiedTable,
  rows: AsyncIterable<Uint8Array>,
): Promise<void> {
  const name = pg.escapeIdentifier(table.name);
  await client.query(`truncate ${name}`);
  const copy = client.query(copyFrom(`copy ${name} (${columnsOf(table)}) from stdin`));
  await pipeline(Source.from(rows), copy);
}

/** Makes room for a log that ends here. */
export async function makeRoom(client: pg.PoolClient, head: bigint): Promise<void> {
  await client.query('select make_event_room($1)', [head]);
}

/** Lets columns that number rows go on after the numbers that were written. */
export async function continueNumbers(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select c.relname::text as table, a.attname::text as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and a.attidentity <> ''`);
  for (const { table, column } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), max(${pg.escapeIdentifier(column)}))
       from ${pg.escapeIdentifier(table)} having max(${pg.escapeIdentifier(column)}) is not null`,
      [pg.escapeIdentifier(table), column],
    );
  }
}
