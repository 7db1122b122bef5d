import { expect } from 'chai';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('A connection pool', () => {
  it('outlives a lent connection that breaks between two queries', async () => {
    const pool = createPool({ url: await freshDatabase(), max: 2 });
    const lent = await pool.connect();
    try {
      const { rows } = await lent.query<{ pid: number }>('select pg_backend_pid() as pid');
      const ended = new Promise<void>((resolve) => lent.once('end', resolve));
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
      expect(await rejection(lent.query('select 1'))).to.be.instanceOf(Error);
    } finally {
      lent.release(true);
    }
    const { rowCount } = await pool.query('select 1');
    expect(rowCount).to.equal(1);
    await pool.end();
  });
});
