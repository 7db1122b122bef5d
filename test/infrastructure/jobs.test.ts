import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { Queue } from 'bullmq';
import { notificationChannel } from '../../application/ports/notifications.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createBullmqJobs } from '../../infrastructure/jobs/bullmqJobs.ts';
import { createInProcessJobs } from '../../infrastructure/jobs/inProcessJobs.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import { jobsContract, type JobsHarness } from '../contracts/jobsContract.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { startRedis, type TestRedis } from '../support/programs/redis.ts';

describe('Jobs adapters', () => {
  describe('in-process', () => {
    let url: string;
    let pools: pg.Pool[];

    before(async () => {
      url = await migratedDatabase();
    });

    beforeEach(async () => {
      pools = [createPool({ url })];
      await pools[0]?.query('truncate job');
    });

    afterEach(() => Promise.all(pools.map(async (pool) => pool.ended || pool.end())));

    const harness = (): JobsHarness => ({
      open(options) {
        const pool = createPool({ url, max: 3 });
        pools.push(pool);
        const jobs = createInProcessJobs({ pool, feed: createNotificationHub(), ...options });
        return { jobs, kill: () => pool.end() };
      },
    });

    jobsContract('kept in PostgreSQL', harness);

    it('tells other processes once of all jobs enqueued together', async () => {
      const [pool = createPool({ url })] = pools;
      const client = await pool.connect();
      const heard: unknown[] = [];
      client.on('notification', ({ payload }) => heard.push(payload));
      await client.query(`listen ${notificationChannel}`);
      const jobs = createInProcessJobs({ pool, feed: createNotificationHub() });
      const job = (id: string) => ({ name: 'note', id, payload: {} });
      await jobs.enqueue(job('1'), job('2'), job('3'));
      await jobs.enqueue(job('1'));
      await client.query(`notify ${notificationChannel}, 'end'`);
      await eventually(() => expect(heard).to.include('end'));
      expect(heard).to.deep.equal(['jobs', 'end']);
      client.release(true);
    });

    it('begins jobs that are due together in the order they were enqueued, then of their ids', async () => {
      const [pool = createPool({ url })] = pools;
      // Stored in another order than that.
      const stored = [
        ['c', 2],
        ['e', 1],
        ['b', 2],
        ['a', 3],
        ['d', 1],
      ];
      for (const [id, second] of stored) {
        await pool.query(
          `insert into job (id, name, payload, due_at, created_at)
           values ($1, 'note', jsonb_build_object('id', $1::text), '2026-01-01', $2::timestamptz)`,
          [id, `2026-01-01T00:00:0${second}Z`],
        );
      }
      await pool.query(`update job set last_error = 'x' where id = 'e'`);
      const began: unknown[] = [];
      const jobs = createInProcessJobs({ pool, feed: createNotificationHub() });
      jobs.handle('note', ({ id }) => {
        began.push(id);
        return Promise.resolve();
      });
      await jobs.start();
      await eventually(() => expect(began).to.deep.equal(['d', 'e', 'b', 'c', 'a']));
      await jobs.stop();
    });

    it('removes ended jobs in slices', async () => {
      const [pool = createPool({ url })] = pools;
      await pool.query(
        `insert into job (id, name, payload, state, ended_at)
         select n::text, 'note', '{}', 'DONE', now() - interval '2 hours'
         from generate_series(1, 2500) as n`,
      );
      const jobs = createInProcessJobs({ pool, feed: createNotificationHub() });
      await jobs.start();
      await eventually(async () => {
        const { rows } = await pool.query('select 1 from job');
        expect(rows).to.have.length(0);
      });
      await jobs.stop();
    });

    it('refuses to enqueue while PostgreSQL is unavailable', async () => {
      const pool = createPool({ url: 'postgres://nobody@127.0.0.1:1/none' });
      pools.push(pool);
      const jobs = createInProcessJobs({ pool, feed: createNotificationHub() });
      const failure = await jobs
        .enqueue({ name: 'note', id: '1', payload: {} })
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Unavailable).and.include({ dependency: 'database' });
    });
  });

  describe('BullMQ', () => {
    let redis: TestRedis | null;
    let queueName: string;
    let proxies: TestProxy[] = [];
    let unusedProxies: TestProxy[];

    before(async function () {
      redis = await startRedis();
      if (redis === null) {
        console.log('      skipped: there is no redis-server on this machine');
        this.skip();
      }
    });

    beforeEach(async () => {
      queueName = randomUUID();
      const port = Number(new URL(redis?.url ?? '').port);
      proxies = await Promise.all([1, 2, 3].map(() => startProxy(port)));
      unusedProxies = [...proxies];
    });

    afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

    after(() => redis?.stop());

    const harness = (): JobsHarness => ({
      open(options) {
        const proxy = unusedProxies.pop();
        if (proxy === undefined) throw new Error('More processes than proxies.');
        const jobs = createBullmqJobs({
          url: `redis://127.0.0.1:${proxy.port}`,
          queueName,
          stopMs: 500,
          ...options,
        });
        return {
          jobs,
          kill: () => {
            proxy.cut();
            return Promise.resolve();
          },
        };
      },
    });

    jobsContract('on Redis', harness);

    it('keeps a bounded number of ended jobs', async () => {
      const jobs = createBullmqJobs({ url: redis?.url ?? '', queueName, rememberedJobs: 5 });
      let ran = 0;
      jobs.handle('note', () => {
        ran += 1;
        return Promise.resolve();
      });
      await jobs.start();
      const ids = Array.from({ length: 40 }, (_, index) => `note:${index}`);
      await jobs.enqueue(...ids.map((id) => ({ name: 'note', id, payload: {} })));
      await eventually(() => expect(ran).to.equal(ids.length));
      const queue = new Queue(queueName, { connection: { url: redis?.url ?? '' } });
      await eventually(async () => expect(await queue.getCompletedCount()).to.equal(5));
      await queue.close();
      await jobs.stop();
    });

    it('refuses to enqueue while Redis does not answer, and accepts again when it does', async () => {
      const jobs = createBullmqJobs({ url: redis?.url ?? '', queueName, timeoutMs: 200 });
      const job = { name: 'note', id: '1', payload: {} };
      await eventually(() => jobs.enqueue(job));
      redis?.freeze();
      try {
        const failure = await jobs.enqueue(job).catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(Unavailable).and.include({ dependency: 'redis' });
      } finally {
        redis?.thaw();
      }
      await eventually(() => jobs.enqueue(job));
      await jobs.stop();
    });

    it('refuses to enqueue where there is no Redis', async () => {
      const jobs = createBullmqJobs({ url: 'redis://127.0.0.1:1', queueName, timeoutMs: 500 });
      const failure = await jobs
        .enqueue({ name: 'note', id: '1', payload: {} })
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Unavailable).and.include({ dependency: 'redis' });
      await jobs.stop();
    });
  });
});
