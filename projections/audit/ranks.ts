import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import { type AuditCondition, LAST_POSITION, type LogRange } from './conditions.ts';

/** Rows between two marks. */
const STEP = 5000;
/** Filters whose marks are cached; the least recently used is dropped. */
const REMEMBERED = 200;
/** Time a request waits for a count, ms; then it does without and the count continues. */
const COUNT_TIMEOUT_MS = 20;

/** Page of a list, in rows. */
interface WantedPage {
  readonly offset: number;
  readonly limit: number;
  /** Position beyond which nothing counts. */
  readonly snapshot: bigint;
  /** From the oldest row on; otherwise from the newest. */
  readonly isAscending: boolean;
}

/** Start of a page: its range, and the number of rows to skip at the end of the range where the list begins. */
export interface PageStart {
  readonly range: LogRange;
  readonly skip: number;
  /** Null while counting. */
  readonly total: number | null;
}

interface Counted {
  /** Position of every `STEP`th row, from the oldest. */
  readonly marks: bigint[];
  /** Identity of the counted table: a rebuild replaces the table, and an archive run removes rows. */
  table: string | null;
  counting: Promise<void> | undefined;
  /** Monotonic time, ms. */
  countedSince: number;
}

const uncounted = { table: null, counting: undefined, countedSince: 0 };

const wholeLog: LogRange = { after: -1n, upTo: LAST_POSITION };

/** The range that has not been counted. */
const behind = ({ marks }: Counted): LogRange => ({ ...wholeLog, after: marks.at(-1) ?? -1n });

/** Number of marks up to a position. */
function marksUpTo({ marks }: Counted, snapshot: bigint): number {
  const later = marks.findIndex((mark) => mark > snapshot);
  return later < 0 ? marks.length : later;
}

/**
 * Counts the rows of each filter and finds the start of any page without reading the pages before it: rows are only
 * added, in the order of their positions, so a count stays valid and only newer rows are counted.
 *
 * @param countWithinMs time a request waits for a count; 0: it never does
 */
export function createRanks(database: Kysely<Database>, countWithinMs = COUNT_TIMEOUT_MS) {
  const known = new Map<string, Counted>();

  function of(key: string): Counted {
    const counted = known.get(key) ?? { ...uncounted, marks: [] };
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
          where ${condition(behind(counted))}
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

  async function newest(counted: Counted, condition: AuditCondition, snapshot: bigint) {
    const length = marksUpTo(counted, snapshot);
    const lastMark = counted.marks[length - 1] ?? -1n;
    const { rows } = await sql<{ count: bigint; newest: bigint | null }>`
      select count(*) as count, max(position) as newest from audit_view
      where ${condition({ after: lastMark, upTo: snapshot })}`.execute(database);
    const { count = 0n, newest: last = null } = rows[0] ?? {};
    return { total: length * STEP + Number(count), upTo: last ?? lastMark };
  }

  return {
    /** @param key the filter, as text */
    async pageStart(
      key: string,
      condition: AuditCondition,
      { offset, limit, snapshot, isAscending }: WantedPage,
    ): Promise<PageStart> {
      const counted = of(key);
      if (counted.counting === undefined) {
        counted.countedSince = performance.now();
        counted.counting = setMarks(counted, condition).finally(() => {
          counted.counting = undefined;
        });
      }
      const countedFor = performance.now() - counted.countedSince;
      if (!(await isDoneIn(counted.counting, countWithinMs - countedFor))) {
        return { range: { ...wholeLog, upTo: snapshot }, skip: offset, total: null };
      }
      const { total, upTo } = await newest(counted, condition, snapshot);
      const known = counted.marks.slice(0, marksUpTo(counted, snapshot));
      if (isAscending) {
        const before = Math.floor(offset / STEP);
        const end = known[Math.ceil((offset + limit) / STEP) - 1] ?? upTo;
        const range = { after: known[before - 1] ?? -1n, upTo: end };
        return { range, skip: offset % STEP, total };
      }
      // From the oldest, counted from 1: the rank of the page's first row.
      const rank = total - offset;
      const last = Math.ceil(rank / STEP) - 1;
      const mark = known[last];
      const after = known[Math.floor((rank - limit) / STEP) - 1] ?? -1n;
      return mark === undefined || rank < 1
        ? { range: { after, upTo }, skip: offset, total }
        : {
            range: { after, upTo: mark },
            skip: Math.ceil(rank / STEP) * STEP - rank,
            total,
          };
    },
  };
}

async function isDoneIn(work: Promise<void>, milliseconds: number): Promise<boolean> {
  if (milliseconds <= 0) return false;
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
