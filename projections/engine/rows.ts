import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Cell } from '../../application/ports/bulkWriter.ts';
import type { Database } from '../database.ts';
import type { SqlType } from './columns.ts';
import type { AnyReadModel, AnyRow } from './readModel.ts';

/** Cells of a row in the order of the read model's columns, in PostgreSQL's text format. */
export function toCells(model: AnyReadModel, row: AnyRow): readonly Cell[] {
  return Object.entries(model.columns).map(([column, type]) => toCell(type, row[column]));
}

function toCell(type: SqlType, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' && type !== 'jsonb' ? value : JSON.stringify(value);
}

/** Rows by column, each column as the text of a PostgreSQL array, for {@link upsert}. */
export function toArrays(model: AnyReadModel, rows: readonly AnyRow[]): readonly string[] {
  return Object.entries(model.columns).map(([column, type]) => {
    const cells = rows.map((row) => {
      const cell = toCell(type, row[column]);
      return cell === null ? 'NULL' : `"${needsEscape.test(cell) ? escaped(cell) : cell}"`;
    });
    return `{${cells.join(',')}}`;
  });
}

// Written here because the driver scans every cell letter by letter; few need escaping.
const needsEscape = /["\\]/;

function escaped(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

/**
 * Statement that writes any number of rows. A row at the same or a later revision is unchanged.
 *
 * @param table the read model's own table or its side table
 * @param arrays see {@link toArrays}
 * @param condition of all rows
 */
export function upsert(
  model: AnyReadModel,
  table: string,
  arrays: readonly string[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const columns = Object.entries(model.columns);
  const names = sql.join(columns.map(([column]) => sql.ref(column)));
  const cells = columns.map(([, type], index) => sql`${arrays[index]}::${sql.raw(type)}[]`);
  const assignments = columns
    .filter(([column]) => column !== model.key)
    .map(([column]) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  const whenPresent =
    model.appendOnly === true
      ? sql`nothing`
      : sql`update set ${sql.join(assignments)} where present.revision < excluded.revision`;
  return sql`
    insert into ${sql.table(table)} as present (${names})
    select * from unnest(${sql.join(cells)}) where ${condition}
    on conflict (${sql.ref(model.key)}) do ${whenPresent}
  `;
}

/** Writes rows in one statement; see {@link upsert}. */
export async function upsertRows(
  database: Kysely<Database>,
  model: AnyReadModel,
  table: string,
  rows: readonly AnyRow[],
): Promise<void> {
  if (rows.length > 0) await upsert(model, table, toArrays(model, rows)).execute(database);
}

/** Rows by key, times as ISO strings. */
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
