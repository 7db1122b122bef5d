import { type Kysely, sql } from 'kysely';
import type { Cell } from '../application/ports/bulkWriter.ts';
import type { Database } from './database.ts';
import type { AnyReadModel, AnyRow, ColumnType } from './readModel.ts';

/** A row's cells in the order of the read model's columns, as PostgreSQL reads them from text. */
export function toCells(model: AnyReadModel, row: AnyRow): readonly Cell[] {
  return Object.entries(model.columns).map(([column, type]) => toCell(type, row[column]));
}

function toCell(type: ColumnType, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' && type !== 'jsonb' ? value : JSON.stringify(value);
}

/**
 * Writes rows in one statement, whatever their number. A row already at the same or a later revision stays.
 *
 * @param table the read model's own table or the one it is being rebuilt in
 */
export async function upsertRows(
  database: Kysely<Database>,
  model: AnyReadModel,
  table: string,
  rows: readonly AnyRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.entries(model.columns);
  const names = sql.join(columns.map(([column]) => sql.ref(column)));
  const cells = columns.map(([column, type]) => {
    const values = rows.map((row) => toCell(type, row[column]));
    return sql`${values}::${sql.raw(type)}[]`;
  });
  const assignments = columns
    .filter(([column]) => column !== model.key)
    .map(([column]) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  await sql`
    insert into ${sql.table(table)} as present (${names})
    select * from unnest(${sql.join(cells)})
    on conflict (${sql.ref(model.key)}) do update set ${sql.join(assignments)}
    where present.revision < excluded.revision
  `.execute(database);
}

/** The rows of these keys, times as ISO strings, by key. */
export async function loadRows(
  database: Kysely<Database>,
  model: AnyReadModel,
  table: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, AnyRow>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where ${sql.ref(model.key)} = any(${keys}::text[])
  `.execute(database);
  return new Map(rows.map((row) => [row[model.key] as string, toRow(row)]));
}

function toRow(stored: Record<string, unknown>): AnyRow {
  const row: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(stored)) {
    row[column] = value instanceof Date ? value.toISOString() : value;
  }
  return row as AnyRow;
}
