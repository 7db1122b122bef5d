import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import { type AuditCondition, LAST_POSITION, type LogRange } from './conditions.ts';

/** Rows between two marks. */
const STEP = 5000;
/** Filters whose marks are cached; the least recently used is dropped. */
const REMEMBERED = 200;
/** Time a request waits for a count, ms; then it returns an estimate and the count continues. */
const COUNT_TIMEOUT_MS = 20;

/** Start of a page: its range, and the number of the range's newest rows to skip. */
export interface PageStart {
  readonly range: LogRange;
  readonly skip: number;
  readonly total: number;
  /** False while counting: there may be more or fewer rows than `total`. */
  readonly isExact: boolean;
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

/**
 * Counts the rows of each filter and finds the start of any page without reading the pages before it: rows are only
 * added, in the order of their positions, so a count stays valid and only newer rows are counted.
 */
export function createRanks(database: Kysely<Database>) {
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

  async function newest(counted: Counted, condition: AuditCondition) {
    const { length } = counted.marks;
    const lastMark = counted.marks.at(-1) ?? -1n;
    const { rows } = await sql<{ count: bigint; newest: bigint | null }>`
      select count(*) as count, max(position) as newest from audit_view
      where ${condition(behind(counted))}`.execute(database);
    const { count = 0n, newest: last = null } = rows[0] ?? {};
    return { total: length * STEP + Number(count), upTo: last ?? lastMark };
  }

  async function estimate(counted: Counted, condition: AuditCondition): Promise<number> {
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>`
      explain (format json) select 1 from audit_view where ${condition(wholeLog)}`.execute(
      database,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return Math.max(plan === undefined ? 0 : rowsExpected(plan), counted.marks.length * STEP);
  }

  return {
    /** @param key the filter, as text */
    async pageStart(
      key: string,
      condition: AuditCondition,
      { offset, limit }: { readonly offset: number; readonly limit: number },
    ): Promise<PageStart> {
      const counted = of(key);
      if (counted.counting === undefined) {
        counted.countedSince = performance.now();
        counted.counting = setMarks(counted, condition).finally(() => {
          counted.counting = undefined;
        });
      }
      const countedFor = performance.now() - counted.countedSince;
      if (!(await isDoneIn(counted.counting, Math.max(0, COUNT_TIMEOUT_MS - countedFor)))) {
        const total = await estimate(counted, condition);
        return { range: wholeLog, skip: offset, total, isExact: false };
      }
      const { total, upTo } = await newest(counted, condition);
      // From the oldest, counted from 1: the rank of the page's first row.
      const rank = total - offset;
      const mark = counted.marks[Math.ceil(rank / STEP) - 1];
      const after = counted.marks[Math.floor((rank - limit) / STEP) - 1] ?? -1n;
      return mark === undefined || rank < 1
        ? { range: { after, upTo }, skip: offset, total, isExact: true }
        : {
            range: { after, upTo: mark },
            skip: Math.ceil(rank / STEP) * STEP - rank,
            total,
            isExact: true,
          };
    },
  };
}

/** Part of the output of EXPLAIN. */
interface Plan {
  readonly 'Plan Rows': number;
  readonly 'Parent Relationship'?: string;
  readonly Plans?: readonly Plan[];
}

/**
 * Row estimate of a plan. PostgreSQL expects ten values of an array, whatever it expects of the subquery that builds
 * it.
 */
function rowsExpected({ 'Plan Rows': rows, Plans: plans = [] }: Plan): number {
  const arrays = plans.filter((plan) => plan['Parent Relationship'] === 'InitPlan');
  return Math.max(rows, ...arrays.map((plan) => plan['Plan Rows']));
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
