import { randomInt } from 'node:crypto';
import pg from 'pg';
import { orUnavailable } from './pool.ts';
import { NOTIFICATION_CONNECTION } from './notifications.ts';
import { sessionAt } from './session.ts';

/** Number of service processes on this database, counted by their connections. @throws Unavailable(database) */
export async function countLogUsers(pool: pg.Pool): Promise<number> {
  const { rows } = await orUnavailable('database', () =>
    pool.query<{ readonly users: number }>(
      `select count(*)::int as users from pg_stat_activity
       where datname = current_database() and split_part(application_name, ' ', 1) = $1`,
      [NOTIFICATION_CONNECTION],
    ),
  );
  return rows[0]?.users ?? 0;
}

/** True when two URLs lead to one database, tested by a lock taken through the first. @throws Error during an outage */
export async function isSameDatabase(one: string, other: string): Promise<boolean> {
  const clients = [one, other].map((url) => new pg.Client(sessionAt(url)));
  for (const client of clients) client.on('error', () => undefined);
  const key = randomInt(2 ** 40);
  try {
    const locked: boolean[] = [];
    for (const client of clients) {
      await client.connect();
      const sql = 'select pg_try_advisory_lock($1) as locked';
      const { rows } = await client.query<{ readonly locked: boolean }>(sql, [key]);
      locked.push(rows[0]?.locked === true);
    }
    return locked[1] === false;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
