import { expect } from 'chai';
import type { FailedDelivery } from '../../application/ports/undelivered.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresUndelivered } from '../../infrastructure/postgres/undelivered.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const HOUR = 3_600_000;

describe('F6: the list of what was not delivered', () => {
  const now = Date.now();
  const ago = (hours: number) => new Date(now - hours * HOUR);
  let pool: ReturnType<typeof createPool>;
  let list: ReturnType<typeof createPostgresUndelivered>;

  before(async () => {
    pool = createPool({ url: await freshDatabase(), max: 2 });
    await migrate(createDatabase(pool));
    list = createPostgresUndelivered(pool);
  });

  beforeEach(() => pool.query('delete from undelivered'));

  after(() => pool.end());

  const failed = (id: string, changes: Partial<FailedDelivery> = {}): FailedDelivery => ({
    id,
    kind: 'LOGOUT',
    clientId: 'portal',
    since: ago(2),
    attempts: 3,
    reason: 'HTTP 500',
    triedAt: ago(1),
    isGivenUp: false,
    ...changes,
  });

  it('counts by kind and recipient what waits and what was given up, with the reason of the last attempt', async () => {
    await list.put(failed('a', { triedAt: ago(2) }));
    await list.put(failed('a', { attempts: 4, reason: 'ECONNREFUSED', triedAt: ago(0) }));
    await list.put(failed('b', { since: ago(30), attempts: 31, isGivenUp: true }));
    await list.put(failed('c', { clientId: 'bank', since: ago(40) }));
    for (const id of ['d', 'e']) await list.put(failed(id, { kind: 'NOTICE', clientId: null }));
    expect(await list.list()).to.deep.equal([
      {
        kind: 'LOGOUT',
        clientId: 'bank',
        waiting: 1,
        givenUp: 0,
        since: ago(40),
        attempts: 3,
        reason: 'HTTP 500',
      },
      {
        kind: 'LOGOUT',
        clientId: 'portal',
        waiting: 1,
        givenUp: 1,
        since: ago(30),
        attempts: 31,
        reason: 'ECONNREFUSED',
      },
      {
        kind: 'NOTICE',
        clientId: null,
        waiting: 2,
        givenUp: 0,
        since: ago(2),
        attempts: 3,
        reason: 'HTTP 500',
      },
    ]);
  });

  it('loses one that was delivered, and those of a week ago', async () => {
    await list.put(failed('delivered'));
    await list.remove('delivered');
    await list.put(failed('old', { triedAt: ago(24 * 7 + 2), isGivenUp: true }));
    expect(await list.list()).to.deep.equal([]);
    await list.put(failed('new'));
    const { rows } = await pool.query('select id from undelivered');
    expect(rows).to.deep.equal([{ id: 'new' }]);
  });
});
