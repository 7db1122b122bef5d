import type pg from 'pg';

/** Runs `work` in one transaction on a connection of its own: commits when it resolves, rolls back when it rejects. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    failed = false;
    return result;
  } finally {
    // After a failure the connection may be in any state: closing it rolls back, and the pool opens another.
    client.release(failed);
  }
}
