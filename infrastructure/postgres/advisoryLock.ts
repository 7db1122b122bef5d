import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';

const KEY = 'hashtextextended($1, 0)';

/**
 * Returns a function that runs work under a named lock over all processes on this database: a session-level advisory
 * lock, released with the connection when the process dies.
 *
 * @param taken makes the error thrown while another process holds the lock; without it, the lock is waited for
 * @param mode `shared` is held by any number of processes, and with `exclusive` by none beside
 * @throws Unavailable(database) when the lock cannot be requested
 */
export function createAdvisoryLock(
  pool: pg.Pool,
  taken?: () => Error,
  mode: 'exclusive' | 'shared' = 'exclusive',
) {
  const ending = mode === 'shared' ? '_shared' : '';
  const lock = `select ${taken === undefined ? `pg_advisory_lock${ending}(${KEY})` : `where pg_try_advisory_lock${ending}(${KEY})`}`;
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch(unavailable);
    /** False while the connection may hold the lock, or get it yet: it is closed then. */
    let isFree = false;
    try {
      const { rowCount } = await client.query(lock, [name]).catch(unavailable);
      if (rowCount !== 1 && taken !== undefined) {
        isFree = true;
        throw taken();
      }
      try {
        return await work();
      } finally {
        isFree = await client.query(`select pg_advisory_unlock${ending}(${KEY})`, [name]).then(
          () => true,
          () => false,
        );
      }
    } finally {
      client.release(!isFree);
    }
  };
}

/** @throws Unavailable(database) */
function unavailable(error: unknown): never {
  throw new Unavailable('database', error);
}
