import type { Job, Jobs } from '../../../application/reactors/ports/jobs.ts';
import { createBullmqJobs } from '../../../infrastructure/jobs/bullmqJobs.ts';
import { createInProcessJobs } from '../../../infrastructure/jobs/inProcessJobs.ts';
import { createNotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { createPool } from '../../../infrastructure/postgres/pool.ts';
import { startRedis } from '../../support/programs/redis.ts';
import { openBenchLog } from '../support/eventLog.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { percentile } from '../support/statistics.ts';

/** Jobs in PostgreSQL beside BullMQ on Redis (ADR 43): from the enqueueing to the end of its handler. */
export const jobsScenario: Scenario = {
  id: 'JOBS',
  title: 'Jobs in PostgreSQL and on BullMQ',
  run,
};

const name = 'bench';
/** Jobs enqueued at once, as a reactor does for the pushes of a batch of events. */
const BATCH = 50;

async function run(bench: Bench): Promise<readonly Row[]> {
  const many = bench.size(5000, 200);
  const single = bench.size(500, 20);
  const url = await bench.freshDatabase('jobs');
  const log = await openBenchLog(url);
  bench.atEnd(() => log.stop());
  const pool = createPool({ url });
  bench.atEnd(() => pool.end());
  const inProcess = await contestant(
    bench,
    createInProcessJobs({ pool, feed: createNotificationHub() }),
  );
  const redis = await startRedis();
  // Registered before its client, as the latest registered ends first.
  if (redis === null) bench.note('There is no redis-server on this machine: no peer.');
  else bench.atEnd(() => redis.stop());
  const bullmq = redis && (await contestant(bench, createBullmqJobs({ url: redis.url })));

  const rates = await interleave(
    bench.rounds,
    { inProcess: () => inProcess.rate(many), ...(bullmq && { bullmq: () => bullmq.rate(many) }) },
    bench.progress,
  );
  const waits = await interleave(
    bench.rounds,
    { inProcess: () => inProcess.p99(single), ...(bullmq && { bullmq: () => bullmq.p99(single) }) },
    bench.progress,
  );
  const contest = (all: { readonly inProcess: number[]; readonly bullmq?: number[] }) => ({
    subject: measured('PostgreSQL', all.inProcess),
    peer: all.bullmq && measured('BullMQ', all.bullmq),
  });
  return [
    row(`enqueued by ${BATCH}, done`, 'jobs/s', contest(rates)),
    row('one at a time, enqueued to handled, p99', 'ms', contest(waits)),
  ];
}

async function contestant(bench: Bench, jobs: Jobs) {
  const waiting = new Map<string, () => void>();
  let next = 0;
  jobs.handle(name, ({ id }) => {
    waiting.get(String(id))?.();
    waiting.delete(String(id));
    return Promise.resolve();
  });
  await jobs.start();
  bench.atEnd(() => jobs.stop());

  /** Enqueues so many jobs; resolves when every one was handled. */
  async function runJobs(count: number): Promise<void> {
    const added: Job[] = [];
    const handled: Promise<void>[] = [];
    for (let at = 0; at < count; at += 1) {
      const id = `job${next++}`;
      added.push({ name, id, payload: { id } });
      handled.push(new Promise((resolve) => waiting.set(id, resolve)));
    }
    await jobs.enqueue(...added);
    await Promise.all(handled);
  }

  return {
    rate: async (count: number) => {
      const startedAt = performance.now();
      for (let done = 0; done < count; done += BATCH) await runJobs(BATCH);
      return (count * 1000) / (performance.now() - startedAt);
    },
    p99: async (count: number) => {
      const times: number[] = [];
      for (let done = 0; done < count; done += 1) {
        const startedAt = performance.now();
        await runJobs(1);
        times.push(performance.now() - startedAt);
      }
      return percentile(times, 0.99);
    },
  };
}
