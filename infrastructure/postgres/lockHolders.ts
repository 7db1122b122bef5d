import { hostname } from 'node:os';
import type pg from 'pg';

/** Application name of a connection that holds the locks of a process, without the process. */
export const LOCK_CONNECTION = 'tamga-lock';

/** Application name of this process's, `tamga-lock host:pid`; PostgreSQL keeps 63 bytes. */
export const ownLockConnection = `${LOCK_CONNECTION} ${`${hostname()}:${process.pid}`.slice(-52)}`;

/** Silence after which the process that holds locks counts as hung, milliseconds. */
const hungAfterMs = 5000;

/**
 * Silence of a connection. It queries twice a second, and the server records when: a heartbeat without a table, by the
 * database's clock alone.
 */
const silentMs = 'extract(epoch from clock_timestamp() - state_change) * 1000';

interface Named {
  readonly name: string;
}

interface Queryable {
  query(text: string, values: readonly unknown[]): Promise<Pick<pg.QueryResult<Named>, 'rows'>>;
}

function namesIn({ rows }: Pick<pg.QueryResult<Named>, 'rows'>): readonly string[] {
  return rows.map(({ name }) => name.slice(LOCK_CONNECTION.length + 1));
}

/** Processes that hold this lock, several when they share it, without hung ones. */
export async function findHolders(client: Queryable, lock: string): Promise<readonly string[]> {
  const text = `
    select application_name as name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and ((classid::int8 << 32) | objid::int8) = hashtextextended($1, 0)
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and ${silentMs} <= $2
    order by application_name`;
  return namesIn(await client.query(text, [lock, hungAfterMs]));
}

/** Ends the connections of hung processes, which releases their locks. @returns the processes */
export async function endHungHolders(client: Queryable): Promise<readonly string[]> {
  const text = `
    select application_name as name, pg_terminate_backend(pid) from pg_stat_activity
    where application_name like $1 and datname = current_database() and ${silentMs} > $2`;
  return namesIn(await client.query(text, [`${LOCK_CONNECTION} %`, hungAfterMs]));
}
