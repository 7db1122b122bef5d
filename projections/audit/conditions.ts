import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AuditFilter } from '../../application/ports/auditTrail.ts';
import type { Database } from '../database.ts';

/** Clocks of processes that write differ by less, milliseconds; and so do the order of the log and that of times. */
const CLOCKS_DIFFER_MS = 60_000;

const PERSON = 'PNOMN-';

const isPerson = (subject: string) => subject.startsWith(PERSON);

/** Condition of rows, as SQL. */
export type AuditCondition = RawBuilder<boolean>;

/**
 * The filter as a condition that an index answers. Times are looked up once, as positions: rows are in the order of the
 * log, and few near the ends are compared by their time.
 */
export async function auditCondition(
  database: Kysely<Database>,
  filter: AuditFilter,
): Promise<AuditCondition> {
  const { type, subject, actor, outcome, from, to } = filter;
  const conditions: AuditCondition[] = [];
  if (type !== undefined) conditions.push(sql`type = ${type}`);
  if (subject !== undefined) {
    conditions.push(isPerson(subject) ? ofPerson(subject) : sql`subject = ${subject}`);
  }
  if (actor !== undefined) conditions.push(sql`actor_id = ${actor}`);
  // Spelled out, for the partial index.
  if (outcome === 'DENIED') conditions.push(sql`outcome = 'DENIED'`);
  if (outcome === 'OK') conditions.push(sql`outcome = 'OK'`);
  if (from !== undefined) {
    const first = await firstSince(database, new Date(from.getTime() - CLOCKS_DIFFER_MS));
    conditions.push(sql`position >= ${first}`, sql`happened_at >= ${from}`);
  }
  if (to !== undefined) {
    const last = await firstSince(database, new Date(to.getTime() + CLOCKS_DIFFER_MS));
    conditions.push(sql`position <= ${last}`, sql`happened_at < ${to}`);
  }
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

/**
 * Of a person, by the public identifier: events that name them, what is of their phones and certificates without naming
 * them, and what operators read or were refused about them. As positions, so that each part is read from its index.
 */
function ofPerson(etsi: string): AuditCondition {
  const civilId = etsi.slice(PERSON.length);
  return sql`position in (
    select position from audit_view where person = ${etsi}
    union all
    select position from audit_view where subject in (
      select ${etsi}
      union all select document_number collate "C" from device_view where civil_id = ${civilId}
      union all select serial collate "C" from certificate_view where civil_id = ${civilId}
    )
  )`;
}

const afterAll = 2n ** 63n - 1n;

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
  return found?.position ?? afterAll;
}
