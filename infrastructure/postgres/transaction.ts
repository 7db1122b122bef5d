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
    // After a failure the connection is in an unknown state: it is closed, which rolls back.
    client.release(failed);
  }
}
