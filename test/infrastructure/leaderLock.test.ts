import { expect } from 'chai';
import pg from 'pg';
import type { LeaderLock } from '../../application/ports/leaderLock.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { ownLockConnection } from '../../infrastructure/postgres/lockHolders.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

/** An activity that runs until it is told to end. */
function activity(lock: LeaderLock, name: string) {
  const starts: AbortSignal[] = [];
  const run = lock.runWhileHolding(
    name,
    (signal) =>
      new Promise((resolve) => {
        starts.push(signal);
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  );
  const isActive = () => eventually(() => expect(run.isActive()).to.equal(true));
  return { ...run, starts, isActive, active: () => run.isActive() };
}

describe('The leader lock', () => {
  let url: string;
  let admin: pg.Client;
  let locks: { stop(): Promise<void> }[];

  beforeEach(async () => {
    url = await freshDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    locks = [];
  });

  afterEach(async () => {
    await Promise.all(locks.map((lock) => lock.stop()));
    await admin.end();
  });

  const lock = () => createLeaderLock({ url, pollMs: 20 });

  function running(by: LeaderLock, name: string) {
    const run = activity(by, name);
    locks.push(run);
    return run;
  }

  async function connections(): Promise<number> {
    const { rows } = await admin.query(
      'select 1 from pg_stat_activity where application_name = $1 and datname = current_database()',
      [ownLockConnection],
    );
    return rows.length;
  }

  it('S2-10: holds and awaits all locks of a process on one connection', async () => {
    const [process, other] = [lock(), lock()];
    const names = Array.from({ length: 20 }, (_, index) => `lock ${index}`);
    const active = names.slice(0, 10).map((name) => running(process, name));
    await Promise.all(active.map((run) => run.isActive()));
    const elsewhere = names.slice(10).map((name) => running(other, name));
    await Promise.all(elsewhere.map((run) => run.isActive()));
    const standby = names.slice(10).map((name) => running(process, name));
    expect(await connections()).to.equal(2);
    await Promise.all(elsewhere.map((run) => run.stop()));
    await Promise.all(standby.map((run) => run.isActive()));
    expect(await connections()).to.equal(1);
  });

  it('runs an activity of one name once in a process, too', async () => {
    const process = lock();
    const first = running(process, 'name');
    await first.isActive();
    const second = running(process, 'name');
    const third = running(process, 'another name');
    await third.isActive();
    expect(second.active()).to.equal(false);
    await first.stop();
    await second.isActive();
  });

  it('loses every lock with its connection, and takes them again', async () => {
    const process = lock();
    const runs = [running(process, 'one'), running(process, 'two')];
    await Promise.all(runs.map((run) => run.isActive()));
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
      [ownLockConnection],
    );
    await eventually(() => {
      for (const { starts } of runs) {
        expect(starts).to.have.lengthOf(2);
        expect(starts[0]?.aborted).to.equal(true);
      }
    });
    expect(await connections()).to.equal(1);
  });

  it('closes its connection with the last activity', async () => {
    const process = lock();
    const runs = [running(process, 'one'), running(process, 'two')];
    await Promise.all(runs.map((run) => run.isActive()));
    await runs[0]?.stop();
    expect(await connections()).to.equal(1);
    await runs[1]?.stop();
    await eventually(async () => expect(await connections()).to.equal(0));
    const again = running(process, 'one');
    await again.isActive();
  });
});
