import type { Kysely, RawBuilder } from 'kysely';
import { type ListPart, snapshotBehind } from '../../application/ports/listSnapshot.ts';
import type { Database } from '../database.ts';
import { createListQueries, type ListQueries } from './listQueries.ts';
import { beginningOf, type ListedKeys, type ListedTable, type SnapshotKeys } from './snapshots.ts';
import { sortedKeys } from './sorted.ts';

/** Filter of a table's rows. */
export interface ListFilter {
  /** Cache key: equal for the same rows, different for different ones. */
  readonly id: string;
  readonly where: RawBuilder<boolean>;
  /**
   * Access path. `walk`: scan of the list, which holds many of them. `search`: an index of their own, unordered.
   * `sparse`: scan of the list, though they may be few in it.
   */
  readonly by: 'walk' | 'search' | 'sparse';
}

export interface Lists {
  /** A page of a list; see {@link ListSnapshot}. */
  keys(table: ListedTable, filter: ListFilter, page: ListPart): Promise<SnapshotKeys>;
  /** Resolves when no count is running. */
  stop(): Promise<void>;
}

/** Rows counted, or found by a search, synchronously with the request at most: a few milliseconds. */
const COUNTED = 5000;
/** Lower bound for a search expected to find more than that: tried before scanning, as the estimate may be wrong. */
const TRIED = 1000;
/** Lifetime of a count, and interval after which its use renews it, ms. */
const USED_FOR = 60_000;
const RENEWED_AFTER = 20_000;
/** Counted lists cached at most. */
const REMEMBERED = 32;

type Count = Awaited<ReturnType<ListQueries['count']>> & { readonly at: number };

/**
 * Lists of any length in bounded time. A page is found by scanning a narrow index, or, where a search finds few rows,
 * by sorting those. Long lists are counted in the background while in use. The count leaves milestones, from which
 * distant pages are reached without scanning everything before them.
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

  /** Orders the counts by last use, for eviction. */
  function countOf(id: string): Count | undefined {
    const found = counts.get(id);
    counts.delete(id);
    if (found === undefined || elapsed() - found.at > USED_FOR) return undefined;
    counts.set(id, found);
    return found;
  }

  /** One at a time, in the background. A failed one is restarted by the next request. */
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
    async keys(table, { id: filterId, where, by }, wished) {
      const { sort } = wished;
      if (sort !== undefined) return sortedKeys(database, table, where, { ...wished, sort });
      const id = `${table.table} ${filterId}`;
      const queries = createListQueries(database, table, where);
      const snapshot = wished.snapshot ?? (await queries.newest());
      const page = { ...wished, snapshot };
      const shown = async <Found extends ListedKeys>(found: Found) => {
        const last = await queries.placeOf(found.keys.at(-1));
        const rows = page.offset + found.keys.length;
        return { ...found, snapshot: snapshotBehind(snapshot, rows, last) };
      };
      const count = countOf(id);
      if (count !== undefined) {
        if (elapsed() - count.at > RENEWED_AFTER) countSoon(id, queries);
        // In another order, rows made since are anywhere: a milestone does not tell how many precede it.
        const found =
          table.made === undefined
            ? await counted(queries, count, page)
            : { keys: await queries.walk(page), total: count.total, isTotalExact: false };
        return shown(found);
      }
      const near = await begin(queries, by, page);
      if (!near.isTotalExact) countSoon(id, queries);
      return shown(near);
    },
    stop: async () => {
      await counting;
    },
  };
}

/** A page of a list without a count. */
async function begin(
  queries: ListQueries,
  by: ListFilter['by'],
  page: ListPart,
): Promise<ListedKeys> {
  // One more row tells if the page is the last one.
  const more = { ...page, limit: page.limit + 1 };
  if (by === 'sparse') return uncounted(await queries.walk(more), page, 0);
  const isWalked = by === 'walk' || (await queries.expected()) > COUNTED;
  const bound = by === 'search' && isWalked ? TRIED : COUNTED;
  const { keys, counted: total } = await (by === 'walk'
    ? queries.walkAndCount(more, bound)
    : queries.search(page, bound));
  if (total <= bound) return { keys: keys.slice(0, page.limit), total, isTotalExact: true };
  return uncounted(by === 'walk' ? keys : await queries.walk(more), page, bound);
}

/** A page not followed by a row is the last one, unless it is empty. */
function uncounted(found: readonly string[], { limit, offset }: ListPart, least: number) {
  const keys = found.slice(0, limit);
  const seen = keys.length === 0 ? 0 : offset + keys.length;
  const isTotalExact = found.length <= limit && (keys.length > 0 || offset === 0);
  return { keys, total: isTotalExact ? seen : Math.max(seen, least), isTotalExact };
}

/** A page of a counted list. */
async function counted(
  queries: ListQueries,
  { total, distance, milestones, first }: Count,
  page: ListPart,
): Promise<ListedKeys> {
  const { snapshot = null, limit } = page;
  const ahead = snapshot === null || first === null ? 0 : await queries.ahead(snapshot, first);
  // Among the rows counted; negative for rows added since.
  const offset = offsetBehindShown({ distance, milestones }, page) ?? page.offset + ahead;
  const found = (keys: readonly string[]) => ({
    keys,
    total: total - Math.max(0, ahead),
    isTotalExact: false,
  });
  if (distance === 1) {
    // Every row of a short list is a milestone, which a scan might reach late.
    const from = Math.max(0, offset);
    const keys = milestones.slice(from, from + limit);
    const [since, still] = await Promise.all([
      offset >= 0 || first === null ? [] : queries.walkBefore(first, page),
      keys.length === 0 ? [] : queries.among(keys.map(({ key }) => key)),
    ]);
    return found([...since, ...still].slice(0, limit));
  }
  const passed = Math.floor(offset / distance);
  if (passed <= 0 || beginningOf(page).after !== null) return found(await queries.walk(page));
  const milestone = milestones[passed - 1];
  return found(
    milestone === undefined ? [] : await queries.walkBehind(milestone, { limit, offset }),
  );
}

/** Offset of a page among the rows counted; undefined: the last row shown is not known to be among them. */
function offsetBehindShown(
  { distance, milestones }: Pick<Count, 'distance' | 'milestones'>,
  page: ListPart,
): number | undefined {
  const { after, offset } = beginningOf(page);
  const at = distance === 1 ? milestones.findIndex(({ key }) => key === after?.key) : -1;
  return at < 0 ? undefined : at + 1 + offset;
}
