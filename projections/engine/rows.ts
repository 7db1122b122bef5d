import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Cell } from '../../application/ports/bulkWriter.ts';
import type { Database } from '../database.ts';
import type { SqlType } from './columns.ts';
import type { AnyReadModel, AnyRow, RowChange, Tally } from './readModel.ts';

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

/** Growth of each counter; zeros are left out. */
export type TallyGrowth = ReadonlyMap<string, Tally & { readonly grown: number }>;

/** Sums of a rebuild, or of a batch. */
export interface TallySums {
  add(changes: ReadonlyMap<string, RowChange>): void;
  copy(): TallySums;
  readonly growth: TallyGrowth;
}

/** Sums the contributions of row changes of one read model: its counters always equal those of its rows. */
export function createTallySums(model: AnyReadModel, initial: TallyGrowth = new Map()): TallySums {
  const { tally } = model;
  const sums = new Map(initial);

  function count(tallies: readonly Tally[], by: 1 | -1): void {
    for (const each of tallies) {
      const { metric, bucket, relyingPartyId, label } = each;
      const key = `${metric} ${bucket} ${relyingPartyId} ${label}`;
      const grown = (sums.get(key)?.grown ?? 0) + by;
      if (grown === 0) sums.delete(key);
      else sums.set(key, { metric, bucket, relyingPartyId, label, grown });
    }
  }

  return {
    add(changes) {
      if (tally === undefined) return;
      for (const { before, after } of changes.values()) {
        if (before !== undefined) count(tally(before), -1);
        count(tally(after), 1);
      }
    },
    copy: () => createTallySums(model, sums),
    growth: sums,
  };
}

/** Parameters of {@link addTallies}. */
export function tallyArrays(growth: TallyGrowth): readonly (readonly (string | number)[])[] {
  const all = [...growth.values()];
  return [
    all.map(({ metric }) => metric),
    all.map(({ bucket }) => bucket),
    all.map(({ relyingPartyId }) => relyingPartyId),
    all.map(({ label }) => label),
    all.map(({ grown }) => grown),
  ];
}

/**
 * Statement that adds to any number of a read model's counters.
 *
 * @param arrays see {@link tallyArrays}
 * @param condition of all
 */
export function addTallies(
  source: string | null,
  arrays: readonly unknown[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const [metrics, buckets, parties, labels, grown] = arrays;
  return sql`
    insert into tally as present (source, metric, bucket, relying_party_id, label, count)
    select ${source}::text, * from unnest(
      ${metrics}::text[], ${buckets}::timestamptz[], ${parties}::text[], ${labels}::text[], ${grown}::int8[]
    ) where ${condition}
    on conflict (metric, bucket, relying_party_id, label)
    do update set count = present.count + excluded.count
  `;
}

/** Replaces a read model's counters. */
export async function replaceTallies(
  transaction: Transaction<Database> | Kysely<Database>,
  source: string,
  growth: TallyGrowth,
): Promise<void> {
  await sql`delete from tally where source = ${source}`.execute(transaction);
  if (growth.size > 0) await addTallies(source, tallyArrays(growth)).execute(transaction);
}
