import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';

/** A table listed latest first; both columns together are indexed. */
export interface ListedTable {
  readonly table: keyof Database;
  /** Sort column; a time. */
  readonly time: string;
  /** Tie-breaker of equal times; unique. */
  readonly key: string;
}

export interface ListPage {
  readonly limit: number;
  readonly offset: number;
}

/** A row to continue after. */
export interface Milestone {
  /** Number of rows up to it. */
  readonly number: number;
  readonly time: string;
  readonly key: string;
}

/** The first rows of a list, with their number up to a bound. */
export interface CountedPage {
  readonly keys: readonly string[];
  /** At most one more than the bound. */
  readonly counted: number;
}

type Condition = RawBuilder<boolean>;

/** Approximate number of milestones of a list. */
const MILESTONES = 10_000;

/**
 * SQL statements of lists; see `lists.ts`.
 *
 * @param where condition of the rows
 */
export function createListQueries(
  database: Kysely<Database>,
  { table, time, key }: ListedTable,
  where: Condition,
) {
  const from = sql.table(table);
  const [timeOf, keyOf] = [sql.ref(time), sql.ref(key)];
  const order = sql`${timeOf} desc, ${keyOf} desc`;
  const part = ({ limit, offset }: ListPage) =>
    sql`order by ${order} limit ${limit} offset ${offset}`;

  async function walk(page: ListPage, also: Condition = sql`true`): Promise<readonly string[]> {
    const { rows } = await sql<{ key: string }>`
      select ${keyOf} as key from ${from} where (${where}) and ${also} ${part(page)}
    `.execute(database);
    return rows.map((row) => row.key);
  }

  async function counted(query: RawBuilder<Counts>): Promise<CountedPage> {
    const [row] = (await query.execute(database)).rows;
    return { keys: row?.keys ?? [], counted: Number(row?.counted ?? 0) };
  }

  return {
    /** A page by scanning the list. */
    walk,
    /** A page by scanning from an earlier milestone. */
    walkBehind: ({ number, ...behind }: Milestone, { limit, offset }: ListPage) =>
      walk(
        { limit, offset: offset - number },
        sql`(${timeOf}, ${keyOf}) < (${behind.time}::timestamptz, ${behind.key})`,
      ),
    /** Rows before a given one, the latest first. */
    walkBefore: ({ time: since, key: after }: Milestone, limit: number) =>
      walk({ limit, offset: 0 }, sql`(${timeOf}, ${keyOf}) > (${since}::timestamptz, ${after})`),
    /** Those of these rows that are in the list, in its order. */
    among: (keys: readonly string[]) =>
      walk({ limit: keys.length, offset: 0 }, sql`${keyOf} = any(${[...keys]}::text[])`),
    /** Estimated number of rows, from the database's statistics. */
    async expected(): Promise<number> {
      const { rows } = await sql<{ 'QUERY PLAN': readonly Plan[] }>`
        explain (format json) select from ${from} where ${where}
      `.execute(database);
      return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
    },
    /** A page by scanning the list, and a count up to `bound`. */
    walkAndCount: (page: ListPage, bound: number) =>
      counted(sql`
        select
          array(select ${keyOf} from ${from} where ${where} ${part(page)}) as keys,
          (
            select count(*) from (select from ${from} where ${where} limit ${bound + 1}) as first
          ) as counted
      `),
    /** A page of an unordered search, sorted, when it has no more than `bound` rows. */
    search: (page: ListPage, bound: number) =>
      counted(sql`
        with found as materialized (
          select ${keyOf}, ${timeOf} from ${from} where ${where} limit ${bound + 1}
        )
        select
          array(select ${keyOf} from found ${part(page)}) as keys,
          (select count(*) from found) as counted
      `),
    /** Length of the list, and evenly spaced milestones. */
    async count() {
      const { rows } = await sql<{ total: bigint; number: bigint; time: string; key: string }>`
        select total, number, time::text, key from (
          select
            ${timeOf} as time, ${keyOf} as key,
            row_number() over (order by ${order}) as number, count(*) over () as total
          from ${from} where ${where}
        ) as numbered
        where number % greatest(1, total / ${MILESTONES}) = 0
        order by number
      `.execute(database);
      const total = Number(rows[0]?.total ?? 0);
      return {
        total,
        /** Rows between milestones. */
        distance: Math.max(1, Math.floor(total / MILESTONES)),
        milestones: rows.map((row): Milestone => ({ ...row, number: Number(row.number) })),
      };
    },
  };
}

interface Plan {
  readonly Plan: { readonly 'Plan Rows': number };
}

interface Counts {
  readonly keys: readonly string[];
  readonly counted: bigint;
}

export type ListQueries = ReturnType<typeof createListQueries>;
