import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  HasSnapshot,
  ListPart,
  ListSnapshot,
  ListSort,
  RowPlace,
} from '../../application/ports/listSnapshot.ts';
import type { Database } from '../database.ts';

/** A table listed latest first; both columns together are indexed. */
export interface ListedTable {
  readonly table: keyof Database;
  /** Sort column; a time. */
  readonly time: string;
  /** Tie-breaker of equal times; unique. */
  readonly key: string;
  /**
   * Column with the time of a row's making in whole seconds, for lists in another order, and how much earlier it is
   * than the making, ms. Rows are listed when their second is over. Omitted: `time` is it.
   */
  readonly made?: { readonly column: string; readonly earlierMs: number };
  /** Columns it can be sorted by, by their names in the API. */
  readonly sorts?: Sorts;
}

/** Column that a list can be sorted by. */
export interface SortColumn {
  /** Never null; as it is indexed. */
  readonly value: RawBuilder<unknown>;
  readonly type: 'text' | 'boolean' | 'timestamptz';
}

/** Allow list of the columns of a list, by their names in the API. */
export type Sorts<Name extends string = string> = Readonly<Record<Name, SortColumn>>;

/** Keys of a page, and the length of the list. */
export interface ListedKeys {
  readonly keys: readonly string[];
  readonly total: number;
  /** False: there were so many within the last minute, or there are more. */
  readonly isTotalExact: boolean;
}

/** Keys of a page, and the snapshot of the further ones. */
export type SnapshotKeys = ListedKeys & HasSnapshot;

/** Rows between the last one shown and a page at most: a list is not scanned further from there. */
const NEAR = 5000;

/** Beginning of a page: so many rows behind the last one shown before, where its snapshot knows it. */
export function beginningOf({ offset, snapshot, sort }: Omit<ListPart, 'limit'>): {
  readonly after: RowPlace | null;
  readonly offset: number;
} {
  const shown = snapshot?.shown;
  if (shown === undefined || !isSameSort(shown.sort, sort)) return { after: null, offset };
  if (offset < shown.rows || offset - shown.rows > NEAR) {
    return { after: null, offset };
  }
  return { after: shown, offset: offset - shown.rows };
}

function isSameSort(one: ListSort | undefined, other: ListSort | undefined): boolean {
  return one?.by === other?.by && one?.isDescending === other?.isDescending;
}

/** Condition of rows behind one; null: of all. */
export function isBehind({ time, key }: ListedTable, after: RowPlace | null): RawBuilder<boolean> {
  if (after === null) return sql`true`;
  return sql`(${sql.ref(time)}, ${sql.ref(key)}) < (${after.time}::timestamptz, ${after.key})`;
}

/** The place of a row; undefined: it is gone, or none is wanted. */
export async function rowAt(
  database: Kysely<Database>,
  { table, time, key }: ListedTable,
  wanted: string | undefined,
): Promise<RowPlace | undefined> {
  if (wanted === undefined) return undefined;
  const { rows } = await sql<RowPlace>`
    select ${sql.ref(time)}::text as time, ${sql.ref(key)} as key from ${sql.table(table)}
    where ${sql.ref(key)} = ${wanted}
  `.execute(database);
  return rows[0];
}

/** The newest row of a list, whatever its filter; null: there is none. */
export async function newestRow(
  database: Kysely<Database>,
  { table, time, key, made }: ListedTable,
): Promise<ListSnapshot | null> {
  if (made !== undefined) {
    const { rows } = await sql<{ time: string }>`
      select (date_trunc('second', now()) - ${made.earlierMs / 1000} * interval '1 second')::text as time
    `.execute(database);
    return { time: rows[0]?.time ?? '', key: '-' };
  }
  const { rows } = await sql<RowPlace>`
    select ${sql.ref(time)}::text as time, ${sql.ref(key)} as key from ${sql.table(table)}
    order by ${sql.ref(time)} desc, ${sql.ref(key)} desc limit 1
  `.execute(database);
  return rows[0] ?? null;
}

/** Condition of rows that are newer than another. */
export function isAbove(
  { time, key }: ListedTable,
  { time: since, key: after }: RowPlace,
): RawBuilder<boolean> {
  return sql`(${sql.ref(time)}, ${sql.ref(key)}) > (${since}::timestamptz, ${after})`;
}

/** Condition of rows up to a snapshot; without one, of all. */
export function isUpTo(
  { time, key, made }: ListedTable,
  snapshot: ListSnapshot | null | undefined,
): RawBuilder<boolean> {
  if (snapshot === null || snapshot === undefined) return sql`true`;
  if (made !== undefined) return sql`${sql.ref(made.column)} < ${snapshot.time}::timestamptz`;
  return sql`(${sql.ref(time)}, ${sql.ref(key)}) <= (${snapshot.time}::timestamptz, ${snapshot.key})`;
}
