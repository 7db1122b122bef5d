import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { AuditCondition } from './conditions.ts';

/** Rows between two marks. */
const STEP = 5000;
/** Filters whose marks are remembered; the one longest unused is let go. */
const REMEMBERED = 200;
/** Longest time a request counts, milliseconds; after that it answers an estimate, and the counting goes on without it. */
const COUNT_TIMEOUT_MS = 20;

/** Start of a page: below this position, after skipping this many rows. */
export interface PageStart {
  /** The page's rows are all behind this position. */
  readonly after: bigint;
  /** Rows up to this position belong to the list; the newest counted. */
  readonly upTo: bigint;
  readonly skip: number;
  readonly total: number;
  /** Not while the counting goes on: then there may be more rows than `total`, or fewer. */
  readonly isExact: boolean;
}

interface Counted {
  /** Position of every `STEP`th row, from the oldest. */
  readonly marks: bigint[];
  /** Of the table that was counted: a rebuild puts another in its place, and a run of the archive takes rows out. */
  table: string | null;
  counting: Promise<void> | undefined;
}

/**
 * Knows how many rows there are of each filter and where a page begins however deep it lies, without passing over all
 * that precede it: rows are only ever added, in the order of their positions, so what was counted once stays true and
 * only what came since is counted again.
 */
export function createRanks(database: Kysely<Database>) {
  const known = new Map<string, Counted>();

  function of(key: string): Counted {
    const counted = known.get(key) ?? { marks: [], table: null, counting: undefined };
    known.delete(key);
    known.set(key, counted);
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
    return counted;
  }

  /** Sets marks until fewer than `STEP` rows remain. */
  async function setMarks(counted: Counted, condition: AuditCondition): Promise<void> {
    for (;;) {
      const { rows } = await sql<{ table: string; mark: bigint | null }>`
        select 'audit_view'::regclass::oid || '/' || (select count(*) from archive_entry) as table, (
          select position from audit_view
          where ${condition} and position > ${counted.marks.at(-1) ?? -1n}
          order by position offset ${STEP - 1} limit 1
        ) as mark`.execute(database);
      const [found] = rows;
      if (found === undefined) return;
      if (counted.table !== found.table) {
        const isFirst = counted.table === null;
        counted.table = found.table;
        counted.marks.length = 0;
        if (!isFirst) continue;
      }
      if (found.mark === null) return;
      counted.marks.push(found.mark);
    }
  }

  async function newest(counted: Counted, condition: AuditCondition) {
    const { length } = counted.marks;
    const lastMark = counted.marks.at(-1) ?? -1n;
    const { rows } = await sql<{ count: bigint; newest: bigint | null }>`
      select count(*) as count, max(position) as newest from audit_view
      where ${condition} and position > ${lastMark}`.execute(database);
    const { count = 0n, newest: last = null } = rows[0] ?? {};
    return { total: length * STEP + Number(count), upTo: last ?? lastMark };
  }

  async function estimate(counted: Counted, condition: AuditCondition): Promise<number> {
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }] }>`
      explain (format json) select 1 from audit_view where ${condition}`.execute(database);
    const rowsExpected = rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
    return Math.max(rowsExpected, counted.marks.length * STEP);
  }

  return {
    /** @param key the filter, as text */
    async pageStart(
      key: string,
      condition: AuditCondition,
      { offset, limit }: { readonly offset: number; readonly limit: number },
    ): Promise<PageStart> {
      const counted = of(key);
      counted.counting ??= setMarks(counted, condition).finally(() => {
        counted.counting = undefined;
      });
      if (!(await isDoneIn(counted.counting, COUNT_TIMEOUT_MS))) {
        const total = await estimate(counted, condition);
        return { after: -1n, upTo: 2n ** 63n - 1n, skip: offset, total, isExact: false };
      }
      const { total, upTo } = await newest(counted, condition);
      // From the oldest, counted from 1: the rank of the page's first row.
      const rank = total - offset;
      const mark = counted.marks[Math.ceil(rank / STEP) - 1];
      const after = counted.marks[Math.floor((rank - limit) / STEP) - 1] ?? -1n;
      return mark === undefined || rank < 1
        ? { after, upTo, skip: offset, total, isExact: true }
        : { after, upTo: mark, skip: Math.ceil(rank / STEP) * STEP - rank, total, isExact: true };
    },
  };
}

async function isDoneIn(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
