import { randomUUID } from 'node:crypto';
import {
  binaryEvent,
  EventStoreDBClient,
  NO_STREAM,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { eventBatches } from '../../../application/ports/eventBatches.ts';
import type { EventLog } from '../../../application/ports/eventLog.ts';
import { createEventStoreDbEventLog } from '../../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { runCycles, type VirtualUser } from '../support/cycle.ts';
import { closedLoop, type LoadResult } from '../support/load.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { sampleEvent } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';
import { latencyOf } from '../support/statistics.ts';

const USERS = 256;
const IN_FLIGHT = [1, 64, 256] as const;
/** Foreign events before the few of the requested category. */
const FOREIGN = 200_000;
const OF_THE_CATEGORY = 100;
/** Category used by nothing else in this log. */
const FOREIGN_CATEGORY = 'foreign';
const CATEGORY = 'wanted';

/**
 * P22: the log on EventStoreDB. Whole cycles compared with PostgreSQL; appends, catch-up and
 * catch-up of one category compared with the bare client. The servers must be empty: an
 * installation refuses the log of another.
 */
export const eventStoreDbScenario: Scenario = { id: 'P22', title: 'EventStoreDB', run };

async function run(bench: Bench): Promise<readonly Row[]> {
  const url = process.env['SVC_EVENTSTORE_URL'];
  if (url === undefined || url === '') {
    bench.note('left out: SVC_EVENTSTORE_URL does not name servers to measure with; empty ones.');
    return [];
  }
  const log = createEventStoreDbEventLog({ url });
  await log.start();
  bench.atEnd(() => log.stop());
  for await (const events of eventBatches(log)) {
    throw new Error(
      `The servers at SVC_EVENTSTORE_URL must be empty, but contain ${events[0]?.stream}.`,
    );
  }
  const client = EventStoreDBClient.connectionString(url);
  bench.atEnd(() => client.dispose());
  return [
    ...(await cycles(bench, url)),
    ...(await appends(bench, log, client)),
    ...(await catchUps(bench, log, client)),
  ];
}

async function cycles(bench: Bench, url: string): Promise<readonly Row[]> {
  const count = bench.size(USERS, 16);
  const milliseconds = bench.size(4000, 1000);
  const start = async (environment: Readonly<Record<string, string>>) => {
    const databaseUrl = await bench.freshDatabase('service');
    const service = await startBenchService(bench, { databaseUrl, citizens: count, environment });
    const users: VirtualUser[] = [];
    for (let index = 0; index < count; index += 1) users.push(await service.user(index));
    return { service, users };
  };
  const onEventStoreDb = await start({ SVC_EVENTSTORE_URL: url });
  const onPostgres = await start({});
  const busy = ({ service, users }: typeof onPostgres) =>
    async function load() {
      const before = await service.main.ask<number>('cpu');
      const result = await runCycles(users, milliseconds);
      const microseconds = (await service.main.ask<number>('cpu')) - before;
      return { ...result, microsecondsEach: microseconds / result.latencies.length };
    };
  // A slower service is compiled later: both run about as many cycles before the measurement.
  for (const warming of [onEventStoreDb, onEventStoreDb, onPostgres]) await busy(warming)();
  const runs = await interleave(
    bench.rounds,
    { ours: busy(onEventStoreDb), peer: busy(onPostgres) },
    bench.progress,
  );
  for (const { service, users } of [onEventStoreDb, onPostgres]) {
    for (const user of users) user.close();
    await service.stop();
  }
  const latency = latencyOf(runs.ours.flatMap(({ latencies }) => latencies));
  bench.note(
    `cycle on EventStoreDB: p50 ${latency.p50.toFixed(0)} ms, p99 ${latency.p99.toFixed(0)} ms, ` +
      `longest ${Math.max(...runs.ours.flatMap(({ latencies }) => latencies)).toFixed(0)} ms.`,
  );
  const each = (results: typeof runs.ours) =>
    results.map(({ microsecondsEach }) => microsecondsEach);
  return [
    row(
      `cycles, ${count} users`,
      'cycles/s',
      {
        subject: measured('on EventStoreDB', perSecond(runs.ours)),
        peer: measured('on PostgreSQL', perSecond(runs.peer)),
      },
      { floor: { atLeast: 0.5 }, goal: { atLeast: 0.8 } },
    ),
    row('processor time of the service a cycle', 'µs', {
      subject: measured('on EventStoreDB', each(runs.ours)),
      peer: measured('on PostgreSQL', each(runs.peer)),
    }),
  ];
}

async function appends(
  bench: Bench,
  log: EventLog,
  client: EventStoreDBClient,
): Promise<readonly Row[]> {
  const milliseconds = bench.size(2500, 300);
  const ours = () => log.append(`${FOREIGN_CATEGORY}-${randomUUID()}`, [sampleEvent()], 'none');
  const bare = () =>
    client.appendToStream(`${FOREIGN_CATEGORY}-${randomUUID()}`, bareEvent(), {
      expectedRevision: NO_STREAM,
    });
  await closedLoop(64, milliseconds, ours);
  await closedLoop(64, milliseconds, bare);
  await closedLoop(1, milliseconds, ours);
  await closedLoop(1, milliseconds, bare);
  const rows: Row[] = [];
  for (const inFlight of IN_FLIGHT) {
    const runs = await interleave(
      bench.rounds,
      {
        [`ours ${inFlight}`]: () => closedLoop(inFlight, milliseconds, ours),
        [`bare ${inFlight}`]: () => closedLoop(inFlight, milliseconds, bare),
      },
      bench.progress,
    );
    rows.push(
      row(
        `appends of one event, ${inFlight} in flight`,
        'events/s',
        {
          subject: measured('adapter', perSecond(runs[`ours ${inFlight}`] ?? [])),
          peer: measured('bare client', perSecond(runs[`bare ${inFlight}`] ?? [])),
        },
        { floor: { atLeast: 0.9 }, goal: { atLeast: 1.2 } },
      ),
    );
  }
  return rows;
}

async function catchUps(
  bench: Bench,
  log: EventLog,
  client: EventStoreDBClient,
): Promise<readonly Row[]> {
  const foreign = bench.size(FOREIGN, 5000);
  bench.progress(`appending ${foreign} events`);
  const perAppend = 100;
  await closedLoopOf(foreign / perAppend, 16, () =>
    client.appendToStream(
      `${FOREIGN_CATEGORY}-${randomUUID()}`,
      Array.from({ length: perAppend }, bareEvent),
      { expectedRevision: NO_STREAM },
    ),
  );
  await closedLoopOf(OF_THE_CATEGORY, 1, () =>
    log.append(`${CATEGORY}-${randomUUID()}`, [sampleEvent()], 'none'),
  );
  const runs = await interleave(
    bench.rounds,
    {
      ours: () => timed(() => followed(log)),
      bare: () => timed(() => readEverything(client)),
      oursFiltered: () => timed(() => followed(log, CATEGORY)),
      bareFiltered: () => timed(() => filtered(client, CATEGORY)),
    },
    bench.progress,
  );
  const faults = [...runs.oursFiltered, ...runs.bareFiltered].map(({ events }) =>
    Math.abs(events - OF_THE_CATEGORY),
  );
  const rates = (results: typeof runs.ours) =>
    results.map(({ events, milliseconds }) => (events / milliseconds) * 1000);
  const seconds = (results: typeof runs.ours) =>
    results.map(({ milliseconds }) => milliseconds / 1000);
  return [
    row(
      'catch-up of everything',
      'events/s',
      {
        subject: measured('adapter', rates(runs.ours)),
        peer: measured('bare readAll', rates(runs.bare)),
      },
      { floor: { atLeast: 0.9 } },
    ),
    row(
      `catch-up of one category behind ${foreign} events`,
      's',
      {
        subject: measured('adapter', seconds(runs.oursFiltered)),
        peer: measured('bare prefix filter', seconds(runs.bareFiltered)),
      },
      { floor: { atMost: 1.5 } },
    ),
    row(
      'events of the category missing or too many',
      'events',
      { subject: measured('faults', faults) },
      { floor: { atMost: 0 }, goal: { atMost: 0 } },
    ),
  ];
}

function perSecond(results: readonly LoadResult[]): number[] {
  return results.map((result) => result.perSecond);
}

/** Event in the adapter's format, for the bare client. */
function bareEvent() {
  const { id, type, data, metadata } = sampleEvent();
  return binaryEvent({ id, type, data: Buffer.from(data), metadata: Buffer.from(metadata) });
}

/** Runs an operation `times` times, `atOnce` concurrently. */
async function closedLoopOf(times: number, atOnce: number, operation: () => Promise<unknown>) {
  let left = times;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await operation();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function timed(work: () => Promise<number>) {
  const begun = performance.now();
  const events = await work();
  return { events, milliseconds: performance.now() - begun };
}

/** Reads the log from its beginning to its current end. @returns number of events */
function followed(log: EventLog, category?: string): Promise<number> {
  return new Promise((resolve) => {
    let events = 0;
    const subscription = log.subscribe({
      after: null,
      ...(category !== undefined && { categories: [category] }),
      onBatch: (batch) => {
        events += batch.length;
        return Promise.resolve();
      },
      onCaughtUp: () => void subscription.stop().then(() => resolve(events)),
    });
  });
}

/** @returns number of events without the server's own */
async function readEverything(client: EventStoreDBClient): Promise<number> {
  let events = 0;
  for await (const { event } of client.readAll({ fromPosition: START })) {
    if (event !== undefined && !event.streamId.startsWith('$')) events += 1;
  }
  return events;
}

/** @returns number of events passed by the server-side filter up to the log's current end */
async function filtered(client: EventStoreDBClient, category: string): Promise<number> {
  let events = 0;
  const subscription = client.subscribeToAll({
    fromPosition: START,
    filter: streamNameFilter({ prefixes: [`${category}-`] }),
  });
  await new Promise<void>((resolve, reject) => {
    subscription.on('data', () => (events += 1));
    subscription.on('caughtUp', resolve);
    subscription.on('error', reject);
  });
  await subscription.unsubscribe();
  return events;
}
