import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { gramsOf, searchPattern } from './search.ts';

/** A read model whose rows are listed and searched: it has the columns `search` and `grams`. */
export interface ListedTable {
  readonly table: 'relying_party_view' | 'organization_view';
  readonly key: string;
  /** Columns of a unique index that also holds `search`; there is another with `filter` in front of them. */
  readonly order: readonly string[];
  /** The column a list may be narrowed by. */
  readonly filter: string;
}

export interface ListWish {
  /** Literal text; blank: everything. */
  readonly query: string;
  /** Value of the filter column; null: any. */
  readonly only: string | boolean | null;
  readonly limit: number;
  readonly offset: number;
}

/** Keys of the rows wanted, and how many there are on all pages. */
export interface ListedKeys {
  readonly keys: readonly string[];
  readonly total: number;
}

/** Rows looked through in order before the rarer words are looked up in the index of grams. */
const WALKED = 4000;
/** Counted anew for each list; more than these are remembered. */
const COUNTED = 20_000;
/** How long a remembered count is not counted again, ms. */
const COUNT_AGE_MS = 5000;

/**
 * Lists rows of one table, in bounded time whatever is searched for. What matches often is met early when walking in
 * order; what matches rarely is found by its grams. Totals are exact as far as that is cheap: past {@link COUNTED} rows
 * they may be seconds old, and those of a search that matches often are extrapolated from the part walked through.
 */
export function createListing(
  database: Kysely<Database>,
  { table, key, order, filter }: ListedTable,
): (wish: ListWish) => Promise<ListedKeys> {
  const columns = sql.join(order.map((column) => sql.ref(column)));
  const from = sql.table(table);
  const id = sql.ref(key);
  const narrowed = (only: ListWish['only']) =>
    only === null ? sql`true` : sql`${sql.ref(filter)} = ${only}`;
  const totals = createTotals(async (only, atMost) => {
    const { rows } = await sql<{ total: string }>`
      select count(*) as total
      from (select 1 from ${from} where ${narrowed(only)} limit ${atMost}) as counted
    `.execute(database);
    return Number(rows[0]?.total);
  });

  async function walk({ query, only, limit, offset }: ListWish) {
    const { rows } = await sql<{ visited: string; matches: string; keys: string[] | null }>`
      with visited as (
        select ${id} as id, strpos(search, ${query}) > 0 as matches, row_number() over () as place
        from (
          select ${id}, search from ${from} where ${narrowed(only)} order by ${columns} limit ${WALKED}
        ) as first
      )
      select count(*) as visited, count(*) filter (where matches) as matches,
        (array_agg(id order by place) filter (where matches))[${offset + 1}::int : ${offset + limit}::int] as keys
      from visited
    `.execute(database);
    const { visited, matches, keys } = rows[0] ?? { visited: 0, matches: 0, keys: null };
    return { visited: Number(visited), matches: Number(matches), keys: keys ?? [] };
  }

  async function page(wish: ListWish, matching = sql`true`): Promise<readonly string[]> {
    const { rows } = await sql<{ id: string }>`
      select ${id} as id from ${from} where ${narrowed(wish.only)} and ${matching}
      order by ${columns} limit ${wish.limit} offset ${wish.offset}
    `.execute(database);
    return rows.map((row) => row.id);
  }

  async function lookUp({ query, only, limit, offset }: ListWish): Promise<ListedKeys> {
    const grams = JSON.stringify(gramsOf(query));
    const { rows } = await sql<{ total: string; keys: string[] | null }>`
      with found as materialized (
        select ${columns}, ${id} as id from ${from}
        where grams @> ${grams}::jsonb and strpos(search, ${query}) > 0 and ${narrowed(only)}
      )
      select (select count(*) from found) as total,
        array(select id from found order by ${columns} limit ${limit} offset ${offset}) as keys
    `.execute(database);
    return { keys: rows[0]?.keys ?? [], total: Number(rows[0]?.total ?? 0) };
  }

  async function search(wish: ListWish): Promise<ListedKeys> {
    const { visited, matches, keys } = await walk(wish);
    if (visited < WALKED) return { keys, total: matches };
    const { limit, offset } = wish;
    const pageOfMatches = Math.min(limit, WALKED);
    if (matches < pageOfMatches) return lookUp(wish);
    const total = Math.round((matches / visited) * (await totals(wish.only)));
    if (matches >= offset + limit) return { keys, total };
    return { keys: await page(wish, sql`strpos(search, ${wish.query}) > 0`), total };
  }

  return async (wish) => {
    const query = searchPattern(wish.query);
    if (query !== ' ') return search({ ...wish, query });
    const [keys, total] = await Promise.all([page(wish), totals(wish.only)]);
    return { keys, total };
  };
}

/** Counts that are large are remembered and counted again behind whoever asks. */
function createTotals(
  count: (only: ListWish['only'], atMost: number | null) => Promise<number>,
): (only: ListWish['only']) => Promise<number> {
  const remembered = new Map<ListWish['only'], { total: number; at: number }>();

  async function recount(only: ListWish['only']): Promise<number> {
    const total = await count(only, null);
    if (total > COUNTED) remembered.set(only, { total, at: performance.now() });
    else remembered.delete(only);
    return total;
  }

  return async (only) => {
    const known = remembered.get(only);
    if (known === undefined) {
      const few = await count(only, COUNTED + 1);
      return few > COUNTED ? recount(only) : few;
    }
    if (performance.now() - known.at > COUNT_AGE_MS) {
      known.at = performance.now();
      // What fails here fails again in front of whoever lists next.
      recount(only).catch(() => remembered.delete(only));
    }
    return known.total;
  };
}
