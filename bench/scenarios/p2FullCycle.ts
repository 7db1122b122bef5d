import type { EmbeddedServer } from '../../infrastructure/postgres/embedded.ts';
import { runCycles, type VirtualUser } from '../support/cycle.ts';
import type { LoadResult } from '../support/load.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { startNaiveService } from '../support/naiveCycle.ts';
import { openCycles } from '../support/openCycles.ts';
import { processorTime } from '../support/processorTime.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';
import type { ServiceUser } from '../support/serviceCycle.ts';
import { latencyOf, median, percentile } from '../support/statistics.ts';

const USERS = 256;
/** Cycles of an open loop. */
const OPEN_CYCLES = 10_000;
const POLL_TIMEOUT_MS = 30_000;

/** P2: create → long poll held → phone confirms → poll answers COMPLETE; what a cycle costs and how long it takes. */
export const fullCycleScenario: Scenario = { id: 'P2', title: 'Full cycle', run };

async function run(bench: Bench): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('service');
  const count = bench.size(USERS, 16);
  const service = await startBenchService(bench, { databaseUrl, citizens: count });
  bench.atEnd(() => service.stop());
  const naive = await startNaiveService(await bench.freshDatabase('naive'));
  bench.atEnd(() => naive.server.stop());
  const users = await connect(bench, count, (index) => service.user(index));
  const naiveUsers = await connect(bench, count, () => naive.user());
  const milliseconds = bench.size(3000, 1000);
  const processes = { service: service.main, postgres: await bench.postgres() };

  const closed = () => measureCost(processes, () => runCycles(users, milliseconds));
  await closed();
  const runs = await interleave(
    bench.rounds,
    { ours: closed, naive: () => runCycles(naiveUsers, milliseconds) },
    bench.progress,
  );
  const rates = runs.ours.map(({ perSecond }) => perSecond);
  const latency = latencyOf(runs.ours.flatMap(({ latencies }) => latencies));
  bench.note(
    `At saturation, not targeted: ${median(rates).toFixed(0)} cycles/s with ${count} users, ` +
      `p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms of ${latency.count}.`,
  );
  return [
    row(
      'processor time of the service a cycle',
      'µs',
      { subject: measured('service', costs(runs.ours, 'service')) },
      { floor: { atMost: 750 }, goal: { atMost: 450 } },
    ),
    row(
      'processor time of PostgreSQL a cycle',
      'µs',
      { subject: measured('PostgreSQL', costs(runs.ours, 'postgres')) },
      { floor: { atMost: 200 }, goal: { atMost: 130 } },
    ),
    row(
      `cycles, ${count} users`,
      'cycles/s',
      {
        subject: measured('cycles', rates),
        peer: measured(
          'naive server',
          runs.naive.map(({ perSecond }) => perSecond),
        ),
      },
      { floor: { atLeast: 2 }, goal: { atLeast: 4 } },
    ),
    ...(await openRows(bench, users, { share: 0.3, capacity: median(rates), goal: 10, floor: 25 })),
    ...(await openRows(bench, users, { share: 0.6, capacity: median(rates), goal: 40, floor: 80 })),
  ];
}

interface Costly extends LoadResult {
  /** Microseconds of processor time of one cycle. */
  readonly cost: { readonly service: number; readonly postgres: number };
}

async function measureCost(
  processes: { readonly service: { readonly pid: number }; readonly postgres: EmbeddedServer },
  load: () => Promise<LoadResult>,
): Promise<Costly> {
  const used = async () => ({
    service: await processorTime(processes.service.pid),
    postgres: await processorTime(processes.postgres.pid),
  });
  const before = await used();
  const result = await load();
  const after = await used();
  const cycles = result.latencies.length;
  return {
    ...result,
    cost: {
      service: (after.service - before.service) / cycles,
      postgres: (after.postgres - before.postgres) / cycles,
    },
  };
}

const costs = (runs: readonly Costly[], of: keyof Costly['cost']) =>
  runs.map((run) => run.cost[of]);

/** P2b: latency below saturation. Goal and floor in ms. */
async function openRows(
  bench: Bench,
  users: readonly ServiceUser[],
  load: {
    readonly share: number;
    /** Cycles a second of the closed loop. */
    readonly capacity: number;
    readonly goal: number;
    readonly floor: number;
  },
): Promise<readonly Row[]> {
  const perSecond = load.share * load.capacity;
  const percent = `${load.share * 100} % of capacity`;
  bench.progress(`open loop at ${percent}`);
  const cycles = await openCycles(users, {
    perSecond,
    milliseconds: (bench.size(OPEN_CYCLES, 100) / perSecond) * 1000,
    pollTimeoutMs: POLL_TIMEOUT_MS,
  });
  const answers = cycles.map(({ confirmSentAt, answeredAt }) => answeredAt - confirmSentAt);
  const whole = cycles.map(({ dueAt, answeredAt }) => answeredAt - dueAt);
  return [
    row(
      `confirm sent to poll received, p99, ${percent}`,
      'ms',
      { subject: measured('p99', [percentile(answers, 0.99)]) },
      { floor: { atMost: load.floor }, goal: { atMost: load.goal } },
    ),
    row(
      `longest cycle, ${percent}`,
      'ms',
      { subject: measured('longest', [percentile(whole, 1)]) },
      { goal: { atMost: 250 } },
    ),
  ];
}

async function connect<User extends VirtualUser>(
  bench: Bench,
  count: number,
  one: (index: number) => Promise<User>,
): Promise<User[]> {
  const users: User[] = [];
  for (let index = 0; index < count; index += 1) users.push(await one(index));
  bench.atEnd(() => {
    for (const user of users) user.close();
    return Promise.resolve();
  });
  return users;
}
