import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AuditFilter } from '../../application/audit/ports/auditTrail.ts';
import type { Database } from '../database.ts';
import { subjectsOf } from './personOf.ts';

/** Clocks of processes that write differ by less, milliseconds; and so do the order of the log and that of times. */
const CLOCKS_DIFFER_MS = 60_000;

const isPerson = (subject: string) => subject.startsWith('PNOMN-');

/** A part of the log: positions beyond `after`, up to `upTo`. */
export interface LogRange {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Beyond every position. */
export const LAST_POSITION = 2n ** 63n - 1n;

/** Condition of the rows of a part of the log, as SQL. */
export type AuditCondition = (range: LogRange) => RawBuilder<boolean>;

/**
 * The filter as a condition that an index answers. Times are looked up once, as positions: rows are in the order of the
 * log, and few near the ends are compared by their time.
 */
export async function auditCondition(
  database: Kysely<Database>,
  filter: AuditFilter,
): Promise<AuditCondition> {
  const { type, subject, actor, outcome, reads, from, to } = filter;
  const conditions: RawBuilder<boolean>[] = [];
  if (type !== undefined) conditions.push(sql`type = ${type}`);
  const person = subject !== undefined && isPerson(subject) ? subject : undefined;
  if (subject !== person) conditions.push(sql`subject = ${subject}`);
  if (actor !== undefined) conditions.push(sql`actor_id = ${actor}`);
  // Spelled out, for the partial index.
  if (outcome === 'DENIED') conditions.push(sql`outcome = 'DENIED'`);
  if (outcome === 'OK') conditions.push(sql`outcome = 'OK'`);
  if (reads === false) conditions.push(sql`type <> 'OPERATOR_READ'`);
  if (from !== undefined) {
    const first = await firstSince(database, new Date(from.getTime() - CLOCKS_DIFFER_MS));
    conditions.push(sql`position >= ${first}`, sql`happened_at >= ${from}`);
  }
  if (to !== undefined) {
    const last = await firstSince(database, new Date(to.getTime() + CLOCKS_DIFFER_MS));
    conditions.push(sql`position <= ${last}`, sql`happened_at < ${to}`);
  }
  return (range) => {
    const all = [within(range), ...conditions];
    if (person !== undefined) all.push(ofPerson(person, range));
    return sql`(${sql.join(all, sql` and `)})`;
  };
}

const within = ({ after, upTo }: LogRange) =>
  sql<boolean>`position > ${after} and position <= ${upTo}`;

/**
 * Of a person, by the public identifier: events that name them, what is of their sessions, phones and certificates
 * without naming them, and what operators read or were refused about them. Of the range alone, however much of them
 * there is outside of it. As arrays, which are made once and looked up in an index: a join is planned as if there were
 * one row as long as the table has no statistics, and then compares each with each.
 */
function ofPerson(etsi: string, range: LogRange): RawBuilder<boolean> {
  const [first = '', ...others] = subjectsOf('$').split('$');
  const subjects = sql.join(
    [sql.raw(first), ...others.flatMap((text) => [sql`${etsi}`, sql.raw(text)])],
    sql``,
  );
  return sql`position = any(array(
    select position from audit_view where person = ${etsi} and ${within(range)}
    union all
    select position from audit_view where ${within(range)} and subject = any(array(${subjects}))
  ))`;
}

/** Position of the first row of this time or later; beyond all when there is none. */
async function firstSince(database: Kysely<Database>, time: Date): Promise<bigint> {
  const found = await database
    .selectFrom('audit_view')
    .select('position')
    .where('happened_at', '>=', time)
    .orderBy('happened_at')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  return found?.position ?? LAST_POSITION;
}
