import { type Kysely, sql } from 'kysely';
import { type ListPart, snapshotBehind } from '../../application/ports/listSnapshot.ts';
import type { Database } from '../database.ts';
import type { ListedTable, SnapshotKeys } from './snapshots.ts';
import type { ListFilter, Lists } from './lists.ts';
import { beginningOf, isBehind, isUpTo, newestRow, rowAt } from './snapshots.ts';
import { tellingGrams, searchPattern } from './search.ts';

/** A searchable table: it has the columns `search` and `grams`, and the index of its order includes `search`. */
export interface SearchedTable extends ListedTable {
  /** Filter column; another such index has it as its first column. */
  readonly filter: string;
}

export interface SearchWish extends ListPart {
  /** Literal text; blank: everything. */
  readonly query: string;
  /** Value of the filter column; null: any. */
  readonly only: string | boolean | null;
}

/** Rows scanned in order before rare words are looked up in the index of trigrams. */
const WALKED = 2000;

/**
 * Searches one table in bounded time: frequent matches are found early by scanning in order, rare ones by their
 * trigrams.
 */
export function createSearch(
  { database, lists }: { readonly database: Kysely<Database>; readonly lists: Lists },
  table: SearchedTable,
): (wish: SearchWish) => Promise<SnapshotKeys> {
  const [from, key, time] = [sql.table(table.table), sql.ref(table.key), sql.ref(table.time)];

  /** Matches among the first rows, and if those are all. */
  async function lookThrough(query: string, narrowed: ListFilter['where'], wish: SearchWish) {
    const { limit, snapshot } = wish;
    const { after, offset } = beginningOf(wish);
    const { rows } = await sql<{ visited: bigint; matches: bigint; keys: string[] | null }>`
      with visited as (
        select
          ${key} as key, strpos(search, ${query}) > 0 as matches, row_number() over () as place,
          ${isBehind(table, after)} as behind
        from (
          select ${key}, ${time}, search from ${from} where ${narrowed} and ${isUpTo(table, snapshot)}
          order by ${time} desc, ${key} desc limit ${WALKED}
        ) as first
      )
      select count(*) as visited, count(*) filter (where matches) as matches,
        (array_agg(key order by place) filter (where matches and behind))
          [${offset + 1}::int : ${offset + limit}::int] as keys
      from visited
    `.execute(database);
    const { visited, matches, keys } = rows[0] ?? { visited: 0n, matches: 0n, keys: null };
    return { isAll: visited < WALKED, matches: Number(matches), keys: keys ?? [] };
  }

  return async (wished) => {
    const { only } = wished;
    const snapshot = wished.snapshot ?? (await newestRow(database, table));
    const wish = { ...wished, snapshot };
    const query = searchPattern(wish.query);
    const narrowed =
      only === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(table.filter)} = ${only}`;
    const id = JSON.stringify([only, query]);
    if (query === ' ') return lists.keys(table, { id, where: narrowed, by: 'walk' }, wish);
    const contains = sql<boolean>`${narrowed} and strpos(search, ${query}) > 0`;
    const grams = JSON.stringify(tellingGrams(query));
    const told = sql<boolean>`${contains} and grams @> ${grams}::jsonb`;
    if (wish.sort !== undefined) return lists.keys(table, { id, where: told, by: 'search' }, wish);
    const first = await lookThrough(query, narrowed, wish);
    if (first.isAll) {
      const { keys, matches: total } = first;
      const last = await rowAt(database, table, keys.at(-1));
      const rows = wish.offset + keys.length;
      return { keys, total, isTotalExact: true, snapshot: snapshotBehind(snapshot, rows, last) };
    }
    const isOften = first.matches >= wish.limit;
    const filter: ListFilter = isOften
      ? { id, where: contains, by: 'sparse' }
      : { id, where: told, by: 'search' };
    return lists.keys(table, filter, wish);
  };
}
