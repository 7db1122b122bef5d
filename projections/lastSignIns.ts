import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** Last logins of operators, from the audit. */
export interface LastSignIns {
  /** ISO times by operator; missing: never. @throws Unavailable(database) */
  of(operatorIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Reads the newest line of the audit about each operator's sign-ins: one step of its index by subject an operator. */
export function createLastSignIns(database: Kysely<Database>): LastSignIns {
  return {
    async of(operatorIds) {
      const { rows } = await sql<{ readonly id: string; readonly at: Date | string }>`
        select asked.id, newest.happened_at as at
        from unnest(${[...operatorIds]}::text[]) as asked (id)
        cross join lateral (
          select happened_at from audit_view
          where subject = asked.id and outcome = 'OK'
            and type in ('OPERATOR_SIGN_IN', 'OPERATOR_MFA_ENROL')
          order by position desc limit 1
        ) as newest`.execute(database);
      return new Map(rows.map(({ id, at }) => [id, new Date(at).toISOString()]));
    },
  };
}
