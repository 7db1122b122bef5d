import { type Kysely, sql, type Transaction } from 'kysely';
import { isLockRefused } from '../../application/ports/faults.ts';
import type { Database } from '../database.ts';
import type { AnyReadModel } from './readModel.ts';

interface Index {
  readonly name: string;
  readonly primary: boolean;
  readonly definition: string;
}

/** Name of the table a read model is rebuilt in, while the current one is served. */
export function sideTableOf(model: AnyReadModel): string {
  return `${model.table}_rebuild`;
}

const sideIndexOf = (name: string) => `${name}_rebuild`;

/** Beginning of the first month that a rebuild makes a partition of: no session started before. */
export const TIME_ORDERED_SINCE = new Date('2026-01-01');

/** Creates an empty side table with the settings of the current one, without indexes; drops what a rebuild left. */
export async function createSideTable(
  database: Kysely<Database>,
  model: AnyReadModel,
  isPartitioned: boolean,
): Promise<void> {
  const name = sideTableOf(model);
  const side = sql.table(name);
  await sql`drop table if exists ${side}`.execute(database);
  if (isPartitioned) {
    await sql`select make_partitioned_view(${model.table}, ${name})`.execute(database);
    await sql`select keep_view_partitions(${name}, ${TIME_ORDERED_SINCE})`.execute(database);
    return;
  }
  await sql`create table ${side} (like ${sql.table(model.table)} including defaults)`.execute(
    database,
  );
  const { rows } = await sql<{ settings: string | null }>`
    select array_to_string(reloptions, ', ') as settings
    from pg_class where oid = ${model.table}::regclass
  `.execute(database);
  const settings = rows[0]?.settings ?? null;
  if (settings !== null)
    await sql`alter table ${side} set (${sql.raw(settings)})`.execute(database);
}

/** Creates the indexes of the current table on the side table, those that are not there; drops months with few rows; vacuums. */
export async function indexSideTable(
  database: Kysely<Database>,
  model: AnyReadModel,
): Promise<void> {
  const side = sideTableOf(model);
  const present = new Set((await indexesOf(database, side)).map(({ name }) => name));
  for (const { name, primary, definition } of await indexesOf(database, model.table)) {
    if (present.has(sideIndexOf(name))) continue;
    if (primary) {
      await sql`
        alter table ${sql.table(side)} add constraint ${sql.ref(sideIndexOf(name))}
        primary key (${sql.ref(model.key)})
      `.execute(database);
    } else {
      const moved = definition.replace(
        /INDEX \S+ ON (?:ONLY )?\S+ USING/,
        `INDEX "${sideIndexOf(name)}" ON "${side}" USING`,
      );
      await sql.raw(moved).execute(database);
    }
  }
  if ((await partitionsOf(database, side)).length > 0) {
    await foldMonths(database, side);
  }
  // Rows that a vacuum has seen are counted in indexes alone: first pages need not wait for the server's own.
  await sql`vacuum (analyze, freeze) ${sql.table(side)}`.execute(database);
}

/** Drops months with few rows; one that autovacuum holds is left to the upkeep. */
async function foldMonths(database: Kysely<Database>, side: string): Promise<void> {
  try {
    for (let month: string | null | undefined; month !== null;) {
      const { rows } = await sql<{ month: string | null }>`
        select fold_session_partition(${side}) as month`.execute(database);
      month = rows[0]?.month ?? null;
    }
  } catch (error) {
    if (!isLockRefused(error)) throw error;
  }
}

/** Asks whether a transaction holds the current table for long: a swap would wait for it, and let everybody wait. */
export async function isKeptForLong(
  database: Kysely<Database>,
  { table }: AnyReadModel,
): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    select is_kept_for_long(${table}) as kept`.execute(database);
  return rows[0]?.kept === true;
}

/** Replaces the current table, which is dropped, by the side table. */
export async function swapTables(
  transaction: Transaction<Database>,
  model: AnyReadModel,
): Promise<void> {
  const side = sideTableOf(model);
  const indexes = await indexesOf(transaction, model.table);
  const partitions = await partitionsOf(transaction, side);
  await sql`drop table ${sql.table(model.table)}`.execute(transaction);
  await sql`
    alter table ${sql.table(side)} rename to ${sql.ref(model.table)}
  `.execute(transaction);
  for (const name of partitions) {
    const renamed = sql.ref(name.replace(side, model.table));
    await sql`alter table ${sql.table(name)} rename to ${renamed}`.execute(transaction);
  }
  for (const { name } of indexes) {
    await sql`
      alter index ${sql.ref(sideIndexOf(name))} rename to ${sql.ref(name)}
    `.execute(transaction);
  }
}

async function partitionsOf(database: Kysely<Database>, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on oid = inhrelid
    where inhparent = ${table}::regclass
  `.execute(database);
  return rows.map(({ name }) => name);
}

async function indexesOf(database: Kysely<Database>, table: string): Promise<readonly Index[]> {
  const { rows } = await sql<Index>`
    select index.relname as name, indisprimary as primary, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class index on index.oid = indexrelid
    where indrelid = ${table}::regclass
    order by index.relname
  `.execute(database);
  return rows;
}
