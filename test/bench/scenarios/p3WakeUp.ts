import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type ChildServer, startChildServer } from '../support/childServer.ts';
import { runCycles } from '../support/cycle.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';
import { holdPolls, socketBudget } from '../support/idlePolls.ts';
import { openLoop } from '../../../main/drill/openLoop.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { openCycles } from '../support/openCycles.ts';
import { runningSessions } from '../support/runningSessions.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { type BenchService, startBenchService } from '../support/service.ts';
import type { CyclePorts, Poller, ServiceUser } from '../support/serviceCycle.ts';
import { latencyOf } from '../support/statistics.ts';

const IDLE_POLLS = 15_000;
/** Of the cycles a second that this run was measured to be capable of. */
const SHARE_OF_CAPACITY = 0.3;
const USERS = 200;
const NO_OPS_PER_SECOND = 250;
/** Long-poll timeout, ms; a poll that takes as long was not notified. */
const POLL_TIMEOUT_MS = 5000;
/** Delay after a durable outcome from which a poll counts as not notified, ms. */
const LOST_AFTER_MS = 1000;

/** P3: time from a durable outcome to the response of the waiting poll. */
export const wakeUpScenario: Scenario = { id: 'P3', title: 'Wake-up', run };

interface WakeRun {
  /** Time from durable to read, ms, per cycle. */
  readonly wakes: readonly number[];
  readonly noOps: readonly number[];
  readonly lost: number;
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('service');
  const users = bench.size(USERS, 32);
  const service = await startBenchService(bench, { databaseUrl, citizens: users });
  bench.atEnd(() => service.stop());
  const noOpServer = await startChildServer({
    module: new URL('../peers/bareServer.js', import.meta.url),
    settings: null,
  });
  bench.atEnd(() => noOpServer.stop());
  const milliseconds = bench.size(5000, 1000);

  const budget = await socketBudget();
  const idle = Math.min(bench.size(IDLE_POLLS, 500), budget - 3 * USERS - 600);
  const ids = await runningSessions(bench, service, idle);
  const headers = { Authorization: `Bearer ${service.relyingParty.apiSecret}` };
  const idlePoll = (index: number) =>
    requestBytes('GET', `/v3/session/${ids[index] ?? ''}?timeoutMs=120000`, headers);
  const held = await holdPolls(service.main.port, idle, idlePoll);
  const same = await connectUsers(service, users);
  bench.progress('measuring the capacity');
  await runCycles(same, milliseconds);
  const rate = SHARE_OF_CAPACITY * (await runCycles(same, milliseconds)).perSecond;
  const load = { bench, service, rate, milliseconds, noOpServer };
  await measureWakes({ ...load, users: same, stamper: service.main });
  const sameRuns = await interleave(
    bench.rounds,
    {
      wake: () => measureWakes({ ...load, users: same, stamper: service.main }),
      notify: () => measureNotify(databaseUrl, rate, milliseconds / 2),
    },
    bench.progress,
  );
  const counted = await countWakes(bench, service, same);
  held.close();
  for (const user of same) user.close();

  // One process holds the polls, another writes the sessions, a third projects.
  const apiNode = { SVC_ROLES: 'api', SVC_SOLE_PROCESS: 'false' };
  const reader = await service.another(apiNode);
  const writer = await service.another(apiNode);
  const heldThere = await holdPolls(reader.port, idle, idlePoll);
  const across = await connectUsers(service, users, { write: writer.port, poll: reader.port });
  await measureWakes({ ...load, users: across, stamper: writer });
  const acrossRuns: WakeRun[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    bench.progress(`round ${round}/${bench.rounds}: two processes`);
    acrossRuns.push(await measureWakes({ ...load, users: across, stamper: writer }));
  }
  for (const user of across) user.close();
  heldThere.close();

  const inOne = latencyOf(sameRuns.wake.flatMap(({ wakes }) => wakes));
  const inTwo = latencyOf(acrossRuns.flatMap(({ wakes }) => wakes));
  const noOp = latencyOf(sameRuns.wake.flatMap(({ noOps }) => noOps));
  const notify = latencyOf(sameRuns.notify.flat());
  const lost = [counted, ...sameRuns.wake, ...acrossRuns].reduce((sum, each) => sum + each.lost, 0);
  bench.note(
    `${rate.toFixed(0)} cycles/s; ${inOne.count} wakes in one process beside ${idle} idle polls, ${inTwo.count} across two ` +
      `(p50 ${inTwo.p50.toFixed(2)} ms); raw NOTIFY p50 ${notify.p50.toFixed(2)} ms, ` +
      `no-op p50 ${noOp.p50.toFixed(2)} ms (${noOp.count} samples).`,
  );
  const p99 = measured('one process', [inOne.p99]);
  return [
    row('wake p50', 'ms', { subject: measured('p50', [inOne.p50]) }, { goal: { atMost: 1 } }),
    row('wake p99', 'ms', { subject: p99 }, { floor: { atMost: 15 }, goal: { atMost: 8 } }),
    row('wake p99', 'ms', { subject: p99, peer: measured('bare http no-op p99', [noOp.p99]) }),
    row('wake p99', 'ms', {
      subject: p99,
      peer: measured('raw LISTEN/NOTIFY p99', [notify.p99]),
    }),
    row(
      'wake p99 across processes',
      'ms',
      { subject: measured('two processes', [inTwo.p99]) },
      { floor: { atMost: 40 }, goal: { atMost: 20 } },
    ),
    row(
      `polls that slept past their wake, of ${inOne.count + inTwo.count + counted.wakes}`,
      'polls',
      { subject: measured('lost', [lost]) },
      { floor: { atMost: 0 }, goal: { atMost: 0 } },
    ),
  ];
}

async function connectUsers(
  service: BenchService,
  count: number,
  ports?: Partial<CyclePorts>,
): Promise<ServiceUser[]> {
  const users: ServiceUser[] = [];
  for (let index = 0; index < count; index += 1) users.push(await service.user(index, ports));
  return users;
}

async function measureWakes(load: {
  readonly rate: number;
  readonly milliseconds: number;
  readonly users: readonly ServiceUser[];
  /** Process that writes. */
  readonly stamper: ChildServer;
  readonly noOpServer: ChildServer;
}): Promise<WakeRun> {
  const { rate, milliseconds, users, stamper } = load;
  // Offset between performance.now() and hrtime, the clock of the server's stamps.
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  await stamper.ask('startStamping');
  const noOps = measureNoOps(load.noOpServer, milliseconds);
  const cycles = await openCycles(users, {
    perSecond: rate,
    milliseconds,
    pollTimeoutMs: POLL_TIMEOUT_MS,
  });
  const durableAt = new Map(await stamper.ask<[string, number][]>('takeStamps'));
  const wakes: number[] = [];
  let lost = 0;
  for (const { sessionId, answeredAt, state } of cycles) {
    const at = answeredAt + offset;
    // Later stamps of a stream overwrite earlier ones: the outcome's remains.
    const wake = at - (durableAt.get(`session-${sessionId}`) ?? at);
    if (state !== 'COMPLETE' || wake > LOST_AFTER_MS) lost += 1;
    if (state === 'COMPLETE') wakes.push(wake);
  }
  return { wakes, noOps: await noOps, lost };
}

/** Waiting polls per counted session. */
const POLLS_PER_SESSION = 16;
const COUNTING_USERS = 16;

/**
 * Notifies as many polls as requested, as fast as possible, sixteen per completion, some started
 * together with the confirmation; counts those not notified.
 */
async function countWakes(
  bench: Bench,
  service: BenchService,
  users: readonly ServiceUser[],
): Promise<{ readonly wakes: number; readonly lost: number }> {
  const { wakes: wanted } = bench;
  bench.progress(`counting lost wakes of ${wanted}`);
  let wakes = 0;
  let lost = 0;
  async function work(user: ServiceUser): Promise<void> {
    const waiters = await Promise.all(
      Array.from({ length: POLLS_PER_SESSION }, () => service.poller()),
    );
    for (let late = 0; wakes < wanted; late = (late + 1) % POLLS_PER_SESSION) {
      wakes += POLLS_PER_SESSION;
      const sessionId = await user.create();
      const begunAt = performance.now();
      const poll = (poller: Poller) => poller.poll(sessionId, POLL_TIMEOUT_MS);
      const polls = waiters.slice(late).map(poll);
      const confirmed = user.confirm(sessionId);
      polls.push(...waiters.slice(0, late).map(poll));
      await confirmed;
      for (const { at, state } of await Promise.all(polls)) {
        // A poll that took the whole timeout was not notified.
        if (state !== 'COMPLETE' || at - begunAt >= POLL_TIMEOUT_MS) lost += 1;
      }
    }
    for (const poller of waiters) poller.close();
  }
  await Promise.all(users.slice(0, COUNTING_USERS).map(work));
  return { wakes, lost };
}

async function measureNoOps(server: ChildServer, milliseconds: number): Promise<number[]> {
  const connections = await Promise.all(
    Array.from({ length: 16 }, () => openHttp({ port: server.port })),
  );
  const latencies: number[] = [];
  const request = requestBytes('GET', '/', {});
  await openLoop(NO_OPS_PER_SECOND, milliseconds, async () => {
    const connection = connections.pop();
    if (connection === undefined) return;
    const sentAt = performance.now();
    const { receivedAt } = await connection.send(request);
    latencies.push(receivedAt - sentAt);
    connections.push(connection);
  });
  for (const connection of connections) connection.close();
  return latencies;
}

/** Time from a commit's acknowledgement to the notification on another connection, ms. */
async function measureNotify(
  databaseUrl: string,
  rate: number,
  milliseconds: number,
): Promise<number[]> {
  const listener = new pg.Client({ connectionString: databaseUrl });
  const writer = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  await listener.connect();
  const heardAt = new Map<string, number>();
  const acknowledgedAt = new Map<string, number>();
  const channel = 'bench_peer';
  let expected = Infinity;
  let allHeard: () => void = () => undefined;
  const heard = () => {
    if (heardAt.size >= expected) allHeard();
  };
  listener.on('notification', ({ payload }) => {
    heardAt.set(payload ?? '', performance.now());
    heard();
  });
  await listener.query(`listen ${channel}`);
  await openLoop(rate, milliseconds, async () => {
    const id = randomUUID();
    await writer.query('select pg_notify($1, $2)', [channel, id]);
    acknowledgedAt.set(id, performance.now());
  });
  await new Promise<void>((resolve) => {
    allHeard = resolve;
    expected = acknowledgedAt.size;
    heard();
  });
  await Promise.all([listener.end(), writer.end()]);
  return [...acknowledgedAt].map(([id, at]) => Math.max(0, (heardAt.get(id) ?? at) - at));
}
