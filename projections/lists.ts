import type { Kysely, RawBuilder } from 'kysely';
import type { Database } from './database.ts';
import {
  createListQueries,
  type ListedTable,
  type ListPage,
  type ListQueries,
  type Milestone,
} from './listQueries.ts';

/** Which rows of a table. */
export interface ListFilter {
  /** The same for the same rows, different for different ones. */
  readonly id: string;
  readonly where: RawBuilder<boolean>;
  /**
   * How rows are found. `walk`: along the list, which holds many of them. `search`: through an index of their own, in no
   * order. `sparse`: along the list, though they may be few in it.
   */
  readonly by: 'walk' | 'search' | 'sparse';
}

/** Which rows a page shows, and how many there are in all. */
export interface ListedKeys {
  readonly keys: readonly string[];
  readonly total: number;
  /** False: as counted within the last minute, or the least there are. */
  readonly isTotalExact: boolean;
}

export interface Lists {
  keys(table: ListedTable, filter: ListFilter, page: ListPage): Promise<ListedKeys>;
  /** Resolves when nothing is being counted any more. */
  stop(): Promise<void>;
}

/** Rows counted, or found by a search, with the answer at most: what takes a few milliseconds. */
const COUNTED = 5000;
/** The same of a search that is expected to find more than that, and so will be walked: it is tried, as that may be wrong. */
const TRIED = 1000;
/** How long a count is used, and after how long a use renews it, ms. */
const USED_FOR = 60_000;
const RENEWED_AFTER = 20_000;
/** Counted lists remembered at most. */
const REMEMBERED = 32;

type Count = Awaited<ReturnType<ListQueries['count']>> & { readonly at: number };

/**
 * Lists of any length in bounded time. A page is found by a walk along a narrow index, or, where a search finds few rows,
 * by sorting those. What is long is counted in the background while somebody looks at it. The count leaves milestones,
 * from which pages far behind are reached without passing all that is before them.
 *
 * @param elapsed monotonic milliseconds
 */
export function createLists({
  database,
  elapsed = () => performance.now(),
}: {
  readonly database: Kysely<Database>;
  readonly elapsed?: () => number;
}): Lists {
  const counts = new Map<string, Count>();
  let counting: Promise<void> | undefined;

  /** Keeps the counts in the order of their use, so that the one not used for longest goes first. */
  function countOf(id: string): Count | undefined {
    const found = counts.get(id);
    counts.delete(id);
    if (found === undefined || elapsed() - found.at > USED_FOR) return undefined;
    counts.set(id, found);
    return found;
  }

  /** One at a time, for nobody waits for it. One that fails is begun again by the next request. */
  function countSoon(id: string, queries: ListQueries): void {
    counting ??= queries
      .count()
      .then((count) => {
        counts.delete(id);
        counts.set(id, { ...count, at: elapsed() });
        const [oldest] = counts.keys();
        if (counts.size > REMEMBERED && oldest !== undefined) counts.delete(oldest);
      })
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
  }

  return {
    async keys(table, { id: filterId, where, by }, page) {
      const id = `${table.table} ${filterId}`;
      const queries = createListQueries(database, table, where);
      const count = countOf(id);
      if (count !== undefined) {
        if (elapsed() - count.at > RENEWED_AFTER) countSoon(id, queries);
        return counted(queries, count, page);
      }
      const near = await begin(queries, by, page);
      if (!near.isTotalExact) countSoon(id, queries);
      return near;
    },
    stop: async () => {
      await counting;
    },
  };
}

/** A page of a list that has not been counted. */
async function begin(
  queries: ListQueries,
  by: ListFilter['by'],
  page: ListPage,
): Promise<ListedKeys> {
  if (by === 'sparse') return uncounted(await queries.walk(page), page, 0);
  const isWalked = by === 'walk' || (await queries.expected()) > COUNTED;
  const bound = by === 'search' && isWalked ? TRIED : COUNTED;
  const { keys, counted: total } = await (by === 'walk'
    ? queries.walkAndCount(page, bound)
    : queries.search(page, bound));
  if (total <= bound) return { keys, total, isTotalExact: true };
  return uncounted(by === 'walk' ? keys : await queries.walk(page), page, bound);
}

/** The list ends with a page that is not full, unless it ended before. */
function uncounted(keys: readonly string[], { limit, offset }: ListPage, least: number) {
  const seen = keys.length === 0 ? 0 : offset + keys.length;
  const isTotalExact = keys.length < limit && (keys.length > 0 || offset === 0);
  return { keys, total: isTotalExact ? seen : Math.max(seen, least), isTotalExact };
}

/** A page of a counted list. What came since is shown on the first one. */
async function counted(
  queries: ListQueries,
  { total, distance, milestones }: Count,
  page: ListPage,
): Promise<ListedKeys> {
  const found = (keys: readonly string[]) => ({ keys, total, isTotalExact: false });
  const passed = Math.floor(page.offset / distance);
  if (distance === 1) return found(await amongMilestones(queries, milestones, page));
  if (passed === 0) return found(await queries.walk(page));
  const milestone = milestones[passed - 1];
  return found(milestone === undefined ? [] : await queries.walkBehind(milestone, page));
}

/** A page of a list whose every row is a milestone, which a walk might reach late, for it may have few. */
async function amongMilestones(
  queries: ListQueries,
  milestones: readonly Milestone[],
  { limit, offset }: ListPage,
): Promise<readonly string[]> {
  const [first] = milestones;
  const keys = milestones.slice(offset, offset + limit).map(({ key }) => key);
  const [since, still] = await Promise.all([
    offset > 0 || first === undefined ? [] : queries.walkBefore(first, limit),
    keys.length === 0 ? [] : queries.among(keys),
  ]);
  return [...since, ...still].slice(0, limit);
}
