import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ListPart, RowPlace } from '../../application/ports/listSnapshot.ts';
import type { Database } from '../database.ts';
import {
  beginningOf,
  isAbove,
  isBehind,
  isUpTo,
  type ListedTable,
  newestRow,
  rowAt,
} from './snapshots.ts';

/** A row to continue after. */
export interface Milestone extends RowPlace {
  /** Number of rows up to it. */
  readonly number: number;
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
  listed: ListedTable,
  where: Condition,
) {
  const { table, time, key } = listed;
  const from = sql.table(table);
  const [timeOf, keyOf] = [sql.ref(time), sql.ref(key)];
  const order = sql`${timeOf} desc, ${keyOf} desc`;
  const part = (page: ListPart) =>
    sql`order by ${order} limit ${page.limit} offset ${beginningOf(page).offset}`;
  const behind = (page: ListPart): Condition => isBehind(listed, beginningOf(page).after);
  const above = (row: RowPlace): Condition => isAbove(listed, row);
  const upTo = ({ snapshot }: ListPart): Condition => isUpTo(listed, snapshot);

  async function walk(page: ListPart, also: Condition = sql`true`): Promise<readonly string[]> {
    const { rows } = await sql<{ key: string }>`
      select ${keyOf} as key from ${from}
      where (${where}) and ${upTo(page)} and ${behind(page)} and ${also} ${part(page)}
    `.execute(database);
    return rows.map((row) => row.key);
  }

  /** Number of rows above one row and not above another. */
  async function between(lower: RowPlace, upper: RowPlace): Promise<number> {
    const { rows } = await sql<{ count: bigint }>`
      select count(*) as count from ${from}
      where (${where}) and ${above(lower)} and ${isUpTo(listed, upper)}
    `.execute(database);
    return Number(rows[0]?.count ?? 0n);
  }

  async function counted(query: RawBuilder<Counts>): Promise<CountedPage> {
    const [row] = (await query.execute(database)).rows;
    return { keys: row?.keys ?? [], counted: Number(row?.counted ?? 0) };
  }

  return {
    newest: () => newestRow(database, listed),
    placeOf: (wanted: string | undefined) => rowAt(database, listed, wanted),
    /** Number of rows between a snapshot and the first row counted; negative: the snapshot is the newer one. */
    async ahead(snapshot: RowPlace, first: RowPlace): Promise<number> {
      const [newer, older] = await Promise.all([
        between(snapshot, first),
        between(first, snapshot),
      ]);
      return newer - older;
    },
    /** A page by scanning the list. */
    walk,
    /** A page by scanning from an earlier milestone. */
    walkBehind: ({ number, ...milestone }: Milestone, { limit, offset }: ListPart) =>
      walk({ limit, offset: offset - number }, isBehind(listed, milestone)),
    /** Rows before a given one, the latest first. */
    walkBefore: (first: RowPlace, page: ListPart) => walk(page, above(first)),
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
    walkAndCount: (page: ListPart, bound: number) =>
      counted(sql`
        select
          array(
            select ${keyOf} from ${from}
            where (${where}) and ${upTo(page)} and ${behind(page)} ${part(page)}
          ) as keys,
          (
            select count(*) from (
              select from ${from} where (${where}) and ${upTo(page)} limit ${bound + 1}
            ) as first
          ) as counted
      `),
    /** A page of an unordered search, sorted, when it has no more than `bound` rows. */
    search: (page: ListPart, bound: number) =>
      counted(sql`
        with found as materialized (
          select ${keyOf}, ${timeOf} from ${from}
          where (${where}) and ${upTo(page)} limit ${bound + 1}
        )
        select
          array(select ${keyOf} from found where ${behind(page)} ${part(page)}) as keys,
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
        where number = 1 or number % greatest(1, total / ${MILESTONES}) = 0
        order by number
      `.execute(database);
      const total = Number(rows[0]?.total ?? 0);
      const distance = Math.max(1, Math.floor(total / MILESTONES));
      const numbered = rows.map((row): Milestone => ({ ...row, number: Number(row.number) }));
      return {
        total,
        /** The newest row counted. */
        first: numbered[0] ?? null,
        /** Rows between milestones. */
        distance,
        milestones: numbered.filter(({ number }) => number % distance === 0),
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
