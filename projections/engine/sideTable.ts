import { type Kysely, sql, type Transaction } from 'kysely';
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

/** Creates an empty side table with the settings of the current one, without indexes; drops what a rebuild left. */
export async function createSideTable(
  database: Kysely<Database>,
  model: AnyReadModel,
): Promise<void> {
  const side = sql.table(sideTableOf(model));
  await sql`drop table if exists ${side}`.execute(database);
  await sql`create table ${side} (like ${sql.table(model.table)} including defaults)`.execute(
    database,
  );
  const { rows } = await sql<{ settings: string | null }>`
    select array_to_string(reloptions, ', ') as settings from pg_class
    where oid = ${model.table}::regclass
  `.execute(database);
  const settings = rows[0]?.settings ?? null;
  if (settings !== null)
    await sql`alter table ${side} set (${sql.raw(settings)})`.execute(database);
}

/** Creates the indexes of the current table on the side table. */
export async function indexSideTable(
  database: Kysely<Database>,
  model: AnyReadModel,
): Promise<void> {
  const side = sideTableOf(model);
  for (const { name, primary, definition } of await indexesOf(database, model.table)) {
    if (primary) {
      await sql`
        alter table ${sql.table(side)} add constraint ${sql.ref(sideIndexOf(name))}
        primary key (${sql.ref(model.key)})
      `.execute(database);
    } else {
      const moved = definition.replace(
        /INDEX \S+ ON \S+ USING/,
        `INDEX "${sideIndexOf(name)}" ON "${side}" USING`,
      );
      await sql.raw(moved).execute(database);
    }
  }
  await sql`analyze ${sql.table(side)}`.execute(database);
}

/** Replaces the current table, which is dropped, by the side table. */
export async function swapTables(
  transaction: Transaction<Database>,
  model: AnyReadModel,
): Promise<void> {
  const indexes = await indexesOf(transaction, model.table);
  await sql`drop table ${sql.table(model.table)}`.execute(transaction);
  await sql`
    alter table ${sql.table(sideTableOf(model))} rename to ${sql.ref(model.table)}
  `.execute(transaction);
  for (const { name } of indexes) {
    await sql`
      alter index ${sql.ref(sideIndexOf(name))} rename to ${sql.ref(name)}
    `.execute(transaction);
  }
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
