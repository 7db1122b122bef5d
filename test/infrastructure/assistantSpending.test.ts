import { expect } from 'chai';
import pg from 'pg';
import { createBudget } from '../../application/assistant/budget.ts';
import { createPostgresSpending } from '../../infrastructure/postgres/assistantSpending.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

describe('The budget of the assistant in two processes', () => {
  const pools: pg.Pool[] = [];
  let now = new Date('2026-03-01T23:59:00Z');

  before(async () => {
    const connectionString = await migratedDatabase();
    for (let process = 0; process < 2; process += 1) pools.push(new pg.Pool({ connectionString }));
  });
  after(() => Promise.all(pools.map((pool) => pool.end())));

  const budgets = () =>
    pools.map((pool) =>
      createBudget({
        ledger: createPostgresSpending({ pool }),
        clock: { now: () => now },
        daily: { all: 0.001, public: 0.0004 },
        onFailure: (cause) => {
          throw new Error('The ledger failed.', { cause });
        },
      }),
    );

  it('nothing that both spend at once is lost, and both know when it is spent', async () => {
    const both = budgets();
    const [one, other] = both;
    const calls = Array.from({ length: 99 }, async (_, call) => {
      await (call % 2 === 0 ? one : other)?.spend(false, 10);
    });
    await Promise.all(calls);
    for (const budget of both) expect(await budget.isSpent(false)).to.equal(false);
    // The hundredth of ten millionths each: not one was lost.
    await one?.spend(false, 10);
    for (const budget of both) expect(await budget.isSpent(false)).to.equal(true);
  });

  it('begins anew at midnight UTC; visitors have a part of it, which is not that of the signed-in', async () => {
    now = new Date('2026-03-02T00:00:00Z');
    const [one, other] = budgets();
    expect(await one?.isSpent(true)).to.equal(false);
    await Promise.all([one?.spend(true, 200), other?.spend(true, 200)]);
    expect(await one?.isSpent(true)).to.equal(true);
    expect(await other?.isSpent(true)).to.equal(true);
    expect(await other?.isSpent(false)).to.equal(false);
    await other?.spend(false, 600);
    expect(await one?.isSpent(false)).to.equal(true);
  });
});
