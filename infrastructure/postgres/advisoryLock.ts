import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';

/**
 * Returns a function that runs work under a named lock, exclusive over all processes on this database: a session-level
 * advisory lock, released with the connection when the process dies.
 *
 * @throws Unavailable(database) when the lock cannot be requested
 */
export function createAdvisoryLock(pool: pg.Pool) {
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const key = 'hashtextextended($1, 0)';
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw new Unavailable('database', error);
    }
    try {
      await client.query(`select pg_advisory_lock(${key})`, [name]).catch((error: unknown) => {
        throw new Unavailable('database', error);
      });
      return await work();
    } finally {
      const unlocked = await client
        .query(`select pg_advisory_unlock(${key})`, [name])
        .then(() => true)
        .catch(() => false);
      client.release(!unlocked);
    }
  };
}
