import { expect } from 'chai';
import pg from 'pg';
import { createSoleProcess } from '../../application/soleProcess.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { ownLockConnection } from '../../infrastructure/postgres/lockHolders.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

describe('The only process of an installation', () => {
  let url: string;
  const started: { stop(): Promise<void> }[] = [];

  beforeEach(async () => {
    url = await freshDatabase();
  });

  afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())));

  function soleProcess(waitMs = 5000) {
    const process = createSoleProcess({
      leaderLock: createLeaderLock({ url, pollMs: 20 }),
      waitMs,
    });
    started.push(process);
    return process;
  }

  it('refuses a second one, with what to do', async () => {
    await soleProcess().start();
    const refused = (await rejection(soleProcess(200).start())) as Error;
    expect(refused).to.have.property('name', 'AnotherProcess');
    expect(refused.message).to.include('SVC_SOLE_PROCESS=false');
  });

  it('waits for the one it replaces', async () => {
    const former = soleProcess();
    await former.start();
    const next = soleProcess();
    const starting = next.start();
    await former.stop();
    await starting;
    await next.check();
  });

  it('is not ready, and says why, while another holds the claim it lost', async () => {
    const first = soleProcess();
    await first.start();
    const [admin, other] = [1, 2].map(() => new pg.Client({ connectionString: url }));
    await Promise.all([admin?.connect(), other?.connect()]);
    // Waits for the lock in PostgreSQL, so that it is given it before the first one tries again.
    const claimed = other?.query(
      `select pg_advisory_lock(hashtextextended('tamga-sole-process', 0))`,
    );
    await eventually(async () => {
      const waiting = await admin?.query(
        `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(waiting?.rowCount).to.equal(1);
    });
    await admin?.query(
      `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and application_name = $1
       and datname = current_database()`,
      [ownLockConnection],
    );
    await claimed;
    const lost = await eventually(() => rejection(first.check()));
    await Promise.all([admin?.end(), other?.end()]);
    expect(lost).to.have.property('name', 'NotReady');
    await eventually(() => first.check());
  });
});
