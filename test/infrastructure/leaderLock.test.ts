import { expect } from 'chai';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { LeaderLock } from '../../application/ports/leaderLock.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { ownLockConnection } from '../../infrastructure/postgres/lockHolders.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

/** An activity that runs until it is told to end, and so long after. */
function activity(lock: LeaderLock, name: string, lastsMs = 0) {
  const starts: AbortSignal[] = [];
  const run = lock.runWhileHolding(name, async (signal) => {
    starts.push(signal);
    if (!signal.aborted) await once(signal, 'abort');
    await setTimeout(lastsMs);
  });
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

  const lock = (isFit = () => true) => createLeaderLock({ url, pollMs: 20, isFit });

  function running(by: LeaderLock, name: string, lastsMs?: number) {
    const run = activity(by, name, lastsMs);
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

  it('holds and awaits all locks of a process on one connection', async () => {
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
    await eventually(async () => expect(await connections()).to.equal(1));
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

  it('O7: is given up by a process that is not fit, and taken by another', async () => {
    let isFit = true;
    const first = running(
      lock(() => isFit),
      'name',
    );
    await first.isActive();
    const second = running(lock(), 'name');
    isFit = false;
    await second.isActive();
    expect(first.active()).to.equal(false);
    await second.stop();
    expect(first.active()).to.equal(false);
    isFit = true;
    await first.isActive();
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

  describe('of a group', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];

    const taking = (by: LeaderLock) => names.map((name) => running(by, name));
    const countOf = (runs: ReturnType<typeof taking>) => runs.filter((run) => run.active()).length;

    it('has each activity run once, as many in each process', async () => {
      const first = taking(lock().spread('group'));
      await eventually(() => expect(countOf(first)).to.equal(6));
      const second = taking(lock().spread('group'));
      await eventually(() => expect([countOf(first), countOf(second)]).to.deep.equal([3, 3]));
      const third = taking(lock().spread('group'));
      const all = [first, second, third];
      await eventually(() => expect(all.map(countOf)).to.deep.equal([2, 2, 2]));
      for (const index of names.keys()) {
        expect(all.filter((runs) => runs[index]?.active())).to.have.lengthOf(1);
      }
    });

    it('leaves nothing for a process that runs other activities alone', async () => {
      const other = lock();
      other.spread('group');
      await running(other, 'z').isActive();
      const first = taking(lock().spread('group'));
      await eventually(() => expect(countOf(first)).to.equal(6), 3000);
    });

    it('releases no more than its surplus, though some activities take long to end', async () => {
      const by = lock().spread('group');
      const first = names.map((name, index) => running(by, name, index * 50));
      await eventually(() => expect(countOf(first)).to.equal(6));
      const second = taking(lock().spread('group'));
      await eventually(() => expect(countOf(second)).to.equal(3));
      expect(first.filter(({ starts }) => starts[0]?.aborted)).to.have.lengthOf(3);
    });

    it('gives what a process leaves behind to the others', async () => {
      const first = taking(lock().spread('group'));
      const second = taking(lock().spread('group'));
      await eventually(() => expect([countOf(first), countOf(second)]).to.deep.equal([3, 3]));
      await Promise.all(first.map((run) => run.stop()));
      await eventually(() => expect(countOf(second)).to.equal(6));
    });

    it('ends an activity before another process starts it', async () => {
      const held = taking(lock().spread('group'));
      await eventually(() => expect(countOf(held)).to.equal(6));
      const other = lock().spread('group');
      const overlapping: string[] = [];
      const begun: string[] = [];
      const taken = names.map((name, index) =>
        other.runWhileHolding(name, async (signal) => {
          begun.push(name);
          if (held[index]?.active()) overlapping.push(name);
          if (!signal.aborted) await once(signal, 'abort');
        }),
      );
      locks.push(...taken);
      await eventually(() => expect(begun).to.have.lengthOf(3));
      expect(overlapping).to.deep.equal([]);
    });

    it('waits for a process of a former release, which held one lock for all', async () => {
      const former = running(lock(), 'group');
      await former.isActive();
      const spread = taking(lock().spread('group'));
      const other = running(lock(), 'z');
      await other.isActive();
      expect(countOf(spread)).to.equal(0);
      await former.stop();
      await eventually(() => expect(countOf(spread)).to.equal(6));
    });

    it('takes what no other process knows', async () => {
      const both = lock().spread('group');
      const first = [running(both, 'a'), running(both, 'b')];
      const other = lock().spread('group');
      const second = [running(other, 'c'), running(other, 'd')];
      await eventually(() => {
        expect([...first, ...second].map((run) => run.active())).to.deep.equal(
          [1, 2, 3, 4].map(() => true),
        );
      }, 20_000);
    });
  });
});
