import { type CostMeter, createCostMeter, type CycleCost } from '../support/cycleCost.ts';
import { runCycles, type VirtualUser } from '../support/cycle.ts';
import { openLoop } from '../../../main/drill/openLoop.ts';
import type { LoadResult } from '../support/load.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { startNaiveService } from '../support/naiveCycle.ts';
import { type OpenCycle, openCycles } from '../support/openCycles.ts';
import { pinLoad, pinToServerCore, pinTreeToLoadCore } from '../support/pinning.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';
import { latencyOf, median, percentile } from '../support/statistics.ts';
import { takeInTurn } from '../support/takeInTurn.ts';

const USERS = 256;
/** Cycles of an open loop. */
const OPEN_CYCLES = 10_000;
/** Cycles a second at night; and how many are measured. */
const NIGHT = { perSecond: 20, cycles: 600, users: 32 };
const POLL_TIMEOUT_MS = 30_000;

/** P2: create → long poll held → phone confirms → poll answers COMPLETE; what a cycle costs and how long it takes. */
export const fullCycleScenario: Scenario = { id: 'P2', title: 'Full cycle', run };

async function run(bench: Bench): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('service');
  const naiveUrl = await bench.freshDatabase('naive');
  const count = bench.size(USERS, 16);
  const service = await startBenchService(bench, { databaseUrl, citizens: count });
  bench.atEnd(() => service.stop());
  const naive = await startNaiveService(naiveUrl);
  bench.atEnd(() => naive.server.stop());
  const users = await connect(bench, count, (index) => service.user(index));
  const naiveUsers = await connect(bench, count, () => naive.user());
  const milliseconds = bench.size(3000, 1000);
  const postgres = await bench.postgres();
  const meter = createCostMeter(service.main, { postgres, url: databaseUrl }, { counts: true });
  const naiveMeter = createCostMeter(naive.server, { postgres, url: naiveUrl }, { counts: false });

  const closed = () => closedLoop(meter, users, milliseconds);
  const naiveClosed = () => closedLoop(naiveMeter, naiveUsers, milliseconds);
  await closed();
  const runs = await interleave(bench.rounds, { ours: closed, naive: naiveClosed }, bench.progress);
  const rates = runs.ours.map(({ result }) => result.perSecond);
  const latency = latencyOf(runs.ours.flatMap(({ result }) => result.latencies));
  bench.note(
    `At saturation, not targeted: ${median(rates).toFixed(0)} cycles/s with ${count} users, ` +
      `p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms of ${latency.count}.`,
  );
  const costs = (key: keyof CycleCost) => runs.ours.map(({ cost }) => cost[key]);
  const rows = [
    row(
      'processor time of the service a cycle',
      'µs',
      { subject: measured('service', costs('service')) },
      { floor: { atMost: 750 }, goal: { atMost: 450 } },
    ),
    row(
      'processor time of PostgreSQL a cycle',
      'µs',
      { subject: measured('PostgreSQL', costs('postgres')) },
      { floor: { atMost: 200 }, goal: { atMost: 130 } },
    ),
    row(
      `cycles, ${count} users`,
      'cycles/s',
      {
        subject: measured('cycles', rates),
        peer: measured(
          'naive server',
          runs.naive.map(({ result }) => result.perSecond),
        ),
      },
      { floor: { atLeast: 2 }, goal: { atLeast: 4 } },
    ),
  ];

  await pinToServerCore(service.main.pid);
  await pinToServerCore(naive.server.pid);
  await pinTreeToLoadCore(postgres.pid);
  bench.atEnd(await pinLoad());
  bench.note(
    'Rows of open loops, and the closed loop they are compared with: each server on a core of its own, ' +
      'PostgreSQL and the load generator together on the other.',
  );
  const full = await closed();
  const open = (rate: Omit<Parameters<typeof openCycles>[1], 'pollTimeoutMs'>, of = users) =>
    meter.measure(
      () => openCycles(of, { ...rate, pollTimeoutMs: POLL_TIMEOUT_MS }),
      ({ length }) => length,
    );
  const atShare = (share: number) => {
    bench.progress(`open loop at ${share * 100} % of capacity`);
    const perSecond = share * full.result.perSecond;
    return open({ perSecond, milliseconds: (bench.size(OPEN_CYCLES, 100) / perSecond) * 1000 });
  };
  const busy = await atShare(0.6);
  const quiet = await atShare(0.3);
  bench.progress(`open loop at ${NIGHT.perSecond} cycles/s`);
  const { perSecond } = NIGHT;
  const night = await open(
    { perSecond, milliseconds: (bench.size(NIGHT.cycles, 40) / perSecond) * 1000 },
    users.slice(0, NIGHT.users),
  );
  const naiveFull = await naiveClosed();
  const naiveQuiet = await naiveMeter.measure(
    () => naiveCycles(naiveUsers, 0.3 * naiveFull.result.perSecond, bench.size(6000, 1000)),
    (cycles) => cycles,
  );
  const ratio = (quiet: CycleCost, closed: CycleCost) =>
    (quiet.service + quiet.postgres) / (closed.service + closed.postgres);
  return [
    ...rows,
    ...costRows('closed loop, pinned', full.cost),
    ...costRows('60 % of capacity', busy.cost),
    ...latencyRows('60 % of capacity', busy.result, { goal: 40, floor: 80 }),
    ...costRows('30 % of capacity', quiet.cost),
    ...latencyRows('30 % of capacity', quiet.result, { goal: 10, floor: 25, p50: 4 }),
    row(
      'processor time of a cycle, 30 % beside the closed loop',
      'times',
      { subject: measured('service', [ratio(quiet.cost, full.cost)]) },
      { goal: { atMost: 1.5 } },
    ),
    row('the same, naive server', 'times', {
      subject: measured('naive server', [ratio(naiveQuiet.cost, naiveFull.cost)]),
    }),
    ...costRows(`${NIGHT.perSecond} cycles/s`, night.cost, { statements: 8, commits: 4 }),
    ...latencyRows(`${NIGHT.perSecond} cycles/s`, night.result),
  ];
}

function closedLoop(meter: CostMeter, users: readonly VirtualUser[], milliseconds: number) {
  return meter.measure<LoadResult>(
    () => runCycles(users, milliseconds),
    ({ latencies }) => latencies.length,
  );
}

/** Cycles of the naive server at a fixed rate. @returns how many */
async function naiveCycles(
  users: readonly VirtualUser[],
  perSecond: number,
  milliseconds: number,
): Promise<number> {
  const turns = takeInTurn(users);
  let cycles = 0;
  await openLoop(perSecond, milliseconds, async () => {
    const user = await turns.take();
    await user.cycle();
    cycles += 1;
    turns.give(user);
  });
  return cycles;
}

/** @param goals statements and commits a cycle at most */
function costRows(
  load: string,
  cost: CycleCost,
  goals?: { readonly statements: number; readonly commits: number },
): readonly Row[] {
  const one = (measure: string, unit: string, value: number, atMost?: number) =>
    row(
      `${measure}, ${load}`,
      unit,
      { subject: measured('a cycle', [value]) },
      atMost === undefined ? {} : { goal: { atMost } },
    );
  return [
    one('processor time of the service a cycle', 'µs', cost.service),
    one('processor time of PostgreSQL a cycle', 'µs', cost.postgres),
    one('statements a cycle', '', cost.statements, goals?.statements),
    one('commits a cycle', '', cost.commits, goals?.commits),
    one('transactions of pg_stat_database a cycle', '', cost.transactions),
  ];
}

/** P2b: latency below saturation. @param bounds ms */
function latencyRows(
  load: string,
  cycles: readonly OpenCycle[],
  bounds?: { readonly goal: number; readonly floor: number; readonly p50?: number },
): readonly Row[] {
  const answers = cycles.map(({ confirmSentAt, answeredAt }) => answeredAt - confirmSentAt);
  const whole = cycles.map(({ dueAt, answeredAt }) => answeredAt - dueAt);
  return [
    row(
      `confirm sent to poll received, p50, ${load}`,
      'ms',
      { subject: measured('p50', [percentile(answers, 0.5)]) },
      bounds?.p50 === undefined ? {} : { goal: { atMost: bounds.p50 } },
    ),
    row(
      `confirm sent to poll received, p99, ${load}`,
      'ms',
      { subject: measured('p99', [percentile(answers, 0.99)]) },
      bounds === undefined
        ? {}
        : { floor: { atMost: bounds.floor }, goal: { atMost: bounds.goal } },
    ),
    row(
      `longest cycle, ${load}`,
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
