import pg from 'pg';
import { findProgram, pgbench } from '../peers/pgbench.ts';
import { createPeerTable, singleRowInsertScript } from '../peers/singleRowInsert.ts';
import { runCycles, type VirtualUser } from '../support/cycle.ts';
import type { LoadResult } from '../support/load.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { startNaiveService } from '../support/naiveCycle.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';
import { latencyOf } from '../support/statistics.ts';

const FEW = 32;
const MANY = 256;
/** The naive server writes one event when a session starts and one when it is confirmed. */
const NAIVE_EVENTS_PER_CYCLE = 2;

/** P2: create → long poll held → phone confirms → poll answers COMPLETE, everything real, counted in durable events. */
export const fullCycleScenario: Scenario = { id: 'P2', title: 'Full cycle', run };

async function run(bench: Bench): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('service');
  const many = bench.size(MANY, 16);
  const few = bench.size(FEW, 8);
  const service = await startBenchService(bench, { databaseUrl, citizens: many });
  bench.atEnd(() => service.stop());
  await createPeerTable(databaseUrl);
  const naive = await startNaiveService(await bench.freshDatabase('naive'));
  bench.atEnd(() => naive.server.stop());
  const users = await connect(bench, many, (index) => service.user(index));
  const naiveUsers = await connect(bench, many, () => naive.user());
  const milliseconds = bench.size(3000, 1000);
  const program = findProgram('pgbench');
  if (program === null) bench.note('pgbench left out: not installed (postgresql-contrib).');
  const counter = new pg.Client({ connectionString: databaseUrl });
  await counter.connect();
  bench.atEnd(() => counter.end());

  const ours = async (some: readonly VirtualUser[]) => {
    const before = await eventsIn(counter);
    const load = await runCycles(some, milliseconds);
    const perCycle = ((await eventsIn(counter)) - before) / load.latencies.length;
    return { ...load, eventsPerSecond: load.perSecond * perCycle };
  };
  await ours(users);
  const runs = await interleave(
    bench.rounds,
    {
      ours32: () => ours(users.slice(0, few)),
      naive32: () => runCycles(naiveUsers.slice(0, few), milliseconds),
      pgbench: async () =>
        program === null
          ? null
          : pgbench({
              program,
              url: databaseUrl,
              directory: bench.directory,
              script: singleRowInsertScript,
              clients: 32,
              seconds: Math.max(1, Math.round(milliseconds / 2000)),
            }),
      ours256: () => ours(users),
      naive256: () => runCycles(naiveUsers, milliseconds),
    },
    bench.progress,
  );

  const events = (results: readonly { eventsPerSecond: number }[]) =>
    results.map(({ eventsPerSecond }) => eventsPerSecond);
  const naiveEvents = (results: readonly LoadResult[]) =>
    results.map(({ perSecond }) => perSecond * NAIVE_EVENTS_PER_CYCLE);
  const ours32 = measured(`${few} users`, events(runs.ours32));
  const ours256 = measured(`${many} users`, events(runs.ours256));
  const rates = runs.pgbench.filter((rate) => rate !== null);
  const latency = latencyOf(runs.ours256.flatMap(({ latencies }) => latencies));
  const cycles = measured(
    'cycles',
    runs.ours256.map(({ perSecond }) => perSecond),
  );
  bench.note(
    `${cycles.value.toFixed(0)} cycles/s at ${many} users; p50 ${latency.p50.toFixed(1)} ms, ` +
      `p99 from ${latency.count} samples.`,
  );
  const targets = { floor: { atLeast: 0.4 }, goal: { atLeast: 0.7 } };
  const naiveTargets = { floor: { atLeast: 2.5 }, goal: { atLeast: 5 } };
  return [
    ...(rates.length === 0
      ? []
      : [
          row(
            `durable events, ${few} users`,
            'events/s',
            { subject: ours32, peer: measured('pgbench c=32', rates) },
            targets,
          ),
          row(
            `durable events, ${many} users`,
            'events/s',
            { subject: ours256, peer: measured('pgbench c=32', rates) },
            targets,
          ),
        ]),
    row(
      `durable events, ${few} users`,
      'events/s',
      { subject: ours32, peer: measured('naive server', naiveEvents(runs.naive32)) },
      naiveTargets,
    ),
    row(
      `durable events, ${many} users`,
      'events/s',
      { subject: ours256, peer: measured('naive server', naiveEvents(runs.naive256)) },
      naiveTargets,
    ),
    row(
      `p99 of a cycle, ${many} users`,
      'ms',
      { subject: measured('cycle', [latency.p99]) },
      { goal: { atMost: 60 } },
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

async function eventsIn(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>('select count(*) from event');
  return Number(rows[0]?.count);
}
