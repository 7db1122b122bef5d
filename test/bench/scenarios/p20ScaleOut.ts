import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { EventStore } from '../../../application/ports/eventStore.ts';
import { streamOf } from '../../../domain/shared/streams.ts';
import { createEventLog } from '../../../infrastructure/eventstore/eventLog.ts';
import { createPersonalDataVault } from '../../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../../infrastructure/codec/postgresPersonKeys.ts';
import { createEventStoreDbEventLog } from '../../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import type { EmbeddedServer } from '../../../infrastructure/postgres/embedded.ts';
import { createPool } from '../../../infrastructure/postgres/pool.ts';
import type { ChildServer } from '../support/childServer.ts';
import { runCycles } from '../support/cycle.ts';
import { openBenchLog } from '../support/eventLog.ts';
import type { LoadResult } from '../support/load.ts';
import { measured, type Row, row } from '../support/measure.ts';
import { processorTime } from '../support/processorTime.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { type BenchService, startBenchService } from '../support/service.ts';
import type { ServiceUser } from '../support/serviceCycle.ts';
import { sessionEvents } from '../support/sessionHistory.ts';
import { median } from '../support/statistics.ts';

const USERS = 32;
/** API processes beside the one that projects, the most first: all are warm when the last one is measured. */
const PROCESSES = [4, 2, 1] as const;

/** Cycles of two events that others write, and those in flight. */
const FOLLOWED = 5000;
const IN_FLIGHT = 32;
/** Time left to answer them, ms: none expires meanwhile. */
const READABLE_MS = 600_000;
/** Time for the followers to be done, ms. */
const SETTLE_MS = 300;

/**
 * P20: what an additional API process costs. Processor time of a cycle by part, with 1, 2 and 4 API processes: once of
 * cycles that none of them serves, so that all only follow, once of whole cycles spread evenly, each poll at another
 * process than its session's.
 */
export const scaleOutScenario: Scenario = { id: 'P20', title: 'Scale-out', run };

/** Microseconds of processor time a cycle, without what the processes take at rest. */
interface Cost {
  /** Cycles a second: the fewer, the fewer of them share a commit. */
  readonly perSecond: number;
  /** All API processes together. */
  readonly api: number;
  readonly postgres: number;
  /** The process with all other roles. */
  readonly projector: number;
}

interface Costs {
  readonly processes: number;
  /** Of cycles that another process writes. */
  readonly followed: readonly Cost[];
  readonly spread: readonly Cost[];
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const url = process.env['SVC_EVENTSTORE_URL'];
  const onPostgres = await measureLog(bench, 'PostgreSQL', {});
  if (url === undefined || url === '') {
    bench.note('EventStoreDB left out: SVC_EVENTSTORE_URL names no empty servers to measure with.');
    return onPostgres;
  }
  return [...onPostgres, ...(await measureLog(bench, 'EventStoreDB', { SVC_EVENTSTORE_URL: url }))];
}

async function measureLog(
  bench: Bench,
  log: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('service');
  const masterKey = randomBytes(32);
  const service = await startBenchService(bench, {
    databaseUrl,
    citizens: bench.size(USERS, 8),
    environment: {
      ...environment,
      SVC_SOLE_PROCESS: 'false',
      SVC_SW_MASTER_KEY: masterKey.toString('base64'),
    },
  });
  bench.atEnd(() => service.stop());
  const eventLog = await openLog(databaseUrl, environment['SVC_EVENTSTORE_URL']);
  const pool = createPool({ url: databaseUrl, max: 2 });
  const vault = createPersonalDataVault({ keys: createPostgresPersonKeys({ pool }), masterKey });
  await vault.start();
  bench.atEnd(async () => {
    vault.stop();
    await eventLog.stop();
    await pool.end();
  });
  const others = { service, eventStore: createEventLog({ store: eventLog, vault }) };
  const apis: ChildServer[] = [];
  while (apis.length < PROCESSES[0]) apis.push(await service.another({ SVC_ROLES: 'api' }));
  const costs: Costs[] = [];
  for (const processes of PROCESSES) {
    for (const surplus of apis.splice(processes)) await surplus.stop();
    bench.progress(`${log}: ${processes} API processes`);
    costs.push(await measureProcesses(bench, others, apis));
  }
  return rowsOf(bench, log, costs.reverse());
}

async function measureProcesses(
  bench: Bench,
  others: { readonly service: BenchService; readonly eventStore: EventStore },
  apis: readonly ChildServer[],
): Promise<Costs> {
  const { service, eventStore } = others;
  const postgres = await bench.postgres();
  const load = { milliseconds: bench.size(3000, 500), postgres, projector: service.main, apis };
  const atRest = await restingOf(load);
  const portOf = (index: number) => apis[index % apis.length]?.port ?? 0;
  const spread = async () => {
    // Connected anew each time: the server closes connections that rest.
    const users: readonly ServiceUser[] = await Promise.all(
      Array.from({ length: bench.size(USERS, 8) }, (_, index) =>
        service.user(index, { write: portOf(index), poll: portOf(index + 1) }),
      ),
    );
    const cost = await costOf(load, atRest, () => runCycles(users, load.milliseconds));
    for (const user of users) user.close();
    return cost;
  };
  const followed = () => costOf(load, atRest, () => write(eventStore, bench.size(FOLLOWED, 200)));
  if (apis.length === PROCESSES[0]) {
    await spread();
    await followed();
  }
  const measurements: { followed: Cost[]; spread: Cost[] } = { followed: [], spread: [] };
  for (let round = 1; round <= bench.rounds; round += 1) {
    measurements.spread.push(await spread());
    measurements.followed.push(await followed());
  }
  return { processes: apis.length, ...measurements };
}

interface Measured {
  readonly milliseconds: number;
  readonly apis: readonly ChildServer[];
  readonly projector: ChildServer;
  readonly postgres: EmbeddedServer;
}

/** Microseconds used in a time, by each API process, PostgreSQL and the projector, and how long that was, ms. */
async function usedBy<Result>(
  { apis, projector, postgres }: Measured,
  work: () => Promise<Result>,
) {
  const used = async () => [
    await processorTime(postgres.pid),
    ...(await Promise.all([projector, ...apis].map((each) => each.ask<number>('cpu')))),
  ];
  const startedAt = performance.now();
  const before = await used();
  const result = await work();
  const after = await used();
  const each = after.map((microseconds, index) => microseconds - (before[index] ?? 0));
  return { each, result, milliseconds: performance.now() - startedAt };
}

/** Microseconds a millisecond that each takes without load. */
async function restingOf(load: Measured): Promise<readonly number[]> {
  const { each, milliseconds } = await usedBy(load, () => setTimeout(load.milliseconds / 2));
  return each.map((microseconds) => microseconds / milliseconds);
}

async function costOf(
  load: Measured,
  atRest: readonly number[],
  work: () => Promise<LoadResult>,
): Promise<Cost> {
  const used = await usedBy(load, work);
  const { latencies, perSecond } = used.result;
  const [postgres = 0, projector = 0, ...apis] = used.each.map(
    (microseconds, index) =>
      (microseconds - (atRest[index] ?? 0) * used.milliseconds) / latencies.length,
  );
  return { perSecond, api: sum(apis), postgres, projector };
}

/** Writes cycles as an API process does, and waits until whoever follows has had time to. */
async function write(eventStore: EventStore, cycles: number): Promise<LoadResult> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < cycles) {
      const id = randomUUID();
      // By push: started and confirmed.
      const [started, confirmed] = sessionEvents(id, 2 * next++, READABLE_MS);
      if (started === undefined || confirmed === undefined) throw new Error('No whole session.');
      const begin = performance.now();
      await eventStore.append(streamOf('session', id), [started], 'none');
      await eventStore.append(streamOf('session', id), [confirmed], 0n);
      latencies.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const perSecond = cycles / ((performance.now() - startedAt) / 1000);
  await setTimeout(SETTLE_MS);
  return { perSecond, latencies };
}

async function openLog(databaseUrl: string, url: string | undefined) {
  if (url === undefined) return openBenchLog(databaseUrl);
  const log = createEventStoreDbEventLog({ url });
  await log.start();
  return log;
}

function rowsOf(bench: Bench, log: string, costs: readonly Costs[]): readonly Row[] {
  const rows: Row[] = [];
  for (const { processes, followed, spread } of costs) {
    for (const [what, runs] of Object.entries({ followed, spread })) {
      bench.note(
        `${log}, ${processes} API processes, ${what}, µs a cycle: API processes ${of(runs, 'api').toFixed(0)}, ` +
          `PostgreSQL ${of(runs, 'postgres').toFixed(0)}, projector ${of(runs, 'projector').toFixed(0)}; ` +
          `${of(runs, 'perSecond').toFixed(0)} cycles/s.`,
      );
    }
    rows.push(
      row(`${log}: a cycle, ${processes} API processes, spread`, 'µs', {
        subject: measured('all processes', spread.map(wholeOf)),
      }),
    );
  }
  const [one] = costs;
  const most = costs.at(-1);
  if (one === undefined || most === undefined) return rows;
  const added = most.processes - one.processes;
  const rise = (runs: (measured: Costs) => readonly Cost[], cost: (runs: Cost) => number) =>
    (median(runs(most).map(cost)) - median(runs(one).map(cost))) / added;
  return [
    ...rows,
    row(`${log}: PostgreSQL for each process that follows a cycle`, 'µs', {
      subject: measured('rise', [
        rise(
          ({ followed }) => followed,
          ({ postgres }) => postgres,
        ),
      ]),
    }),
    row(
      `${log}: a process that follows a cycle`,
      'µs',
      {
        subject: measured(
          'it alone',
          most.followed.map(({ api }) => api / most.processes),
        ),
      },
      { floor: { atMost: 40 }, goal: { atMost: 20 } },
    ),
    row(`${log}: rise for each process, load spread`, 'µs', {
      subject: measured('rise', [rise(({ spread }) => spread, wholeOf)]),
    }),
  ];
}

const wholeOf = ({ api, postgres, projector }: Cost) => api + postgres + projector;

const of = (runs: readonly Cost[], part: keyof Cost) => median(runs.map((run) => run[part]));

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
