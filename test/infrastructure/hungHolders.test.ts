import { expect } from 'chai';
import pg from 'pg';
import type { LeaderRun } from '../../application/ports/leaderLock.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { findHolders } from '../../infrastructure/postgres/lockHolders.ts';
import { until } from '../support/assertions/waiting.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

describe('The leader lock', function () {
  this.timeout(60_000);
  let url: string;
  let runs: LeaderRun[];
  let hung: pg.Client;

  beforeEach(async () => {
    url = await freshDatabase();
    runs = [];
    hung = new pg.Client({ connectionString: url, application_name: 'tamga-lock elsewhere:7' });
    hung.on('error', () => undefined);
    await hung.connect();
  });

  afterEach(async () => {
    await Promise.all(runs.map((each) => each.stop()));
    await hung.end().catch(() => undefined);
  });

  const locked = () =>
    hung.query("select pg_advisory_lock(hashtextextended('tamga-projector', 0))");

  function stand(onHung: (process: string) => void): LeaderRun {
    const run = createLeaderLock({ url, pollMs: 50, onHung }).runWhileHolding(
      'tamga-projector',
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    runs.push(run);
    return run;
  }

  it('is taken from a holder that says nothing for seconds', async () => {
    await locked();
    expect(await findHolders(hung, 'tamga-projector')).to.deep.equal(['elsewhere:7']);
    const replaced: string[] = [];
    const begun = performance.now();
    const standby = stand((process) => replaced.push(process));
    await until(() => standby.isActive(), 20_000);
    expect(performance.now() - begun).to.be.greaterThan(4000);
    expect(replaced).to.deep.equal(['elsewhere:7']);
  });

  it('stays with a holder that goes on, however long', async () => {
    await locked();
    const beating = setInterval(() => void hung.query('select 1'), 500);
    const replaced: string[] = [];
    const standby = stand((process) => replaced.push(process));
    const begun = performance.now();
    await until(() => performance.now() - begun > 8000, 10_000);
    clearInterval(beating);
    expect([standby.isActive(), replaced]).to.deep.equal([false, []]);
    expect(await findHolders(hung, 'tamga-another')).to.deep.equal([]);
  });
});
