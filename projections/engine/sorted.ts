import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  type ListPart,
  type ListSort,
  type RowPlace,
  snapshotBehind,
} from '../../application/ports/listSnapshot.ts';
import type { Database } from '../database.ts';
import {
  beginningOf,
  isUpTo,
  type ListedTable,
  newestRow,
  type SnapshotKeys,
  type SortColumn,
} from './snapshots.ts';

/** Rows counted with a page at most; of more, the number is not said. */
const COUNTED = 5000;

/** A page of a list in another order than its own; rows of equal values by their keys. */
export async function sortedKeys(
  database: Kysely<Database>,
  listed: ListedTable,
  where: RawBuilder<boolean>,
  page: ListPart & { readonly sort: ListSort },
): Promise<SnapshotKeys> {
  const { limit, sort } = page;
  const column = listed.sorts?.[sort.by];
  if (column === undefined) throw new Error(`A list has no column ${sort.by} to be sorted by.`);
  const snapshot = page.snapshot ?? (await newestRow(database, listed));
  const { after, offset } = beginningOf({ ...page, snapshot });
  const [from, key] = [sql.table(listed.table), sql.ref(listed.key)];
  const order = sql.raw(sort.isDescending ? 'desc' : 'asc');
  const matching = sql<boolean>`(${where}) and ${isUpTo(listed, snapshot)}`;
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql<RowPlace>`
      select ${key} as key, (${column.value})::text as time from ${from}
      where ${matching} and ${isSortedBehind(column, key, sort, after)}
      order by ${column.value} ${order}, ${key} ${order} limit ${limit} offset ${offset}
    `.execute(database),
    sql<{ count: number }>`
      select count(*)::int as count
      from (select from ${from} where ${matching} limit ${COUNTED + 1}) as first
    `.execute(database),
  ]);
  const shown = page.offset + rows.length;
  const count = counts[0]?.count ?? 0;
  return {
    keys: rows.map((row) => row.key),
    total: Math.max(Math.min(count, COUNTED), rows.length === 0 ? 0 : shown),
    isTotalExact: count <= COUNTED,
    snapshot: snapshotBehind(snapshot, shown, rows.at(-1), sort),
  };
}

function isSortedBehind(
  { value, type }: SortColumn,
  key: RawBuilder<unknown>,
  { isDescending }: ListSort,
  after: RowPlace | null,
): RawBuilder<boolean> {
  if (after === null || !isOf(type, after.time)) return sql`true`;
  const place = sql`(${after.time}::${sql.raw(type)}, ${after.key})`;
  return sql`(${value}, ${key}) ${sql.raw(isDescending ? '<' : '>')} ${place}`;
}

/** Tells whether a caller's text is a value of the column, so that the database takes it. */
function isOf(type: SortColumn['type'], text: string): boolean {
  if (type === 'text') return true;
  if (type === 'boolean') return text === 'true' || text === 'false';
  const [day = ''] = text.split(' ');
  const at = new Date(`${text.replace(' ', 'T')}:00`);
  return !Number.isNaN(at.getTime()) && text.endsWith('+00') && at.toISOString().startsWith(day);
}
