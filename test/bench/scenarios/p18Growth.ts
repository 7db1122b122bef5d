import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Appended } from '../../../application/ports/eventLog.ts';
import { migrateAt, openBenchLog } from '../support/eventLog.ts';
import { bytesStored, fillLog, makePartitions } from '../support/growth.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';
import { closedLoop } from '../support/load.ts';
import { measured, type Row, row } from '../support/measure.ts';
import { sampleEvent, sampleMetadata } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { type BenchService, startBenchService } from '../support/service.ts';
import { latencyOf } from '../support/statistics.ts';

/** P18: what an installation with ten million events does slower than an empty one. */
export const growthScenario: Scenario = { id: 'P18', title: 'Growth', run };

const CITIZENS = 64;
const REQUESTS = 200;
/** Share of the log that is archived: a month of it. */
const ARCHIVED_DAYS = 370;

async function run(bench: Bench): Promise<readonly Row[]> {
  const wanted = bench.size(10_000_000, 5000);
  const url = await bench.freshDatabase('growth');
  await migrateAt(url);
  await makePartitions(url, bench.size(500_000, 1000));
  const adminKey = randomBytes(24).toString('base64url');
  const archive = join(bench.directory, 'archive');
  await mkdir(archive);
  const environment = {
    SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_ADMIN_API_KEY: adminKey,
    SVC_ARCHIVE_DIR: archive,
  };
  const settings = { databaseUrl: url, environment };

  let service = await startBenchService(bench, { ...settings, citizens: CITIZENS });
  for (let index = 0; index < CITIZENS; index += 1) {
    const user = await service.user(index);
    const { sessionId, answered } = await user.begin();
    await user.confirm(sessionId);
    await answered;
    user.close();
  }
  const emptyMemory = await restingMemory(service);
  const { relyingParty } = service;
  const [citizen] = service.citizens;
  await service.stop();
  const emptyAppend = await appendP99(bench, url);

  const events = await fillLog(url, wanted, bench.progress);
  const fullAppend = await appendP99(bench, url);
  const startedAt = performance.now();
  service = await startBenchService(bench, { ...settings, citizens: 0, relyingParty });
  const ready = (performance.now() - startedAt) / 1000;
  bench.atEnd(() => service.stop());
  const fullMemory = await restingMemory(service);

  bench.progress('rebuilding the sessions');
  await service.main.ask('rebuild', 'sessions');
  bench.progress(
    `appends ${emptyAppend.toFixed(1)} and ${fullAppend.toFixed(1)} ms, ready in ${ready.toFixed(1)} s; rebuilding the audit`,
  );
  const rebuildAt = performance.now();
  await service.main.ask('rebuild', 'audit');
  const perSecond = (events / (performance.now() - rebuildAt)) * 1000;

  const p99 = async (paths: () => string) => {
    // One for each: the server ends a connection at rest.
    const connection = await openHttp({ port: service.main.port });
    const ask = async (): Promise<number> => {
      const sentAt = performance.now();
      const path = paths();
      const request = requestBytes('GET', `/v3/admin${path}`, { 'x-admin-key': adminKey });
      const { status, receivedAt } = await connection.send(request);
      if (status !== 200) throw new Error(`${path} was answered ${status}.`);
      return receivedAt - sentAt;
    };
    try {
      await ask();
      const samples: number[] = [];
      for (let request = 0; request < REQUESTS; request += 1) samples.push(await ask());
      return latencyOf(samples).p99;
    } finally {
      connection.close();
    }
  };
  bench.progress('first pages');
  const person = `PNOMN-${citizen?.civilId}`;
  const pages = [
    await p99(() => '/audit?limit=50'),
    await p99(() => '/users?limit=50'),
    await p99(() => `/audit?limit=50&subject=${person}`),
  ];

  const stored = await bytesStored(url);
  bench.progress(
    `audit ${Math.round(perSecond)}/s, first pages ${pages.map((page) => page.toFixed(1)).join(', ')} ms; archiving a month`,
  );
  const before = new Date(Date.now() - ARCHIVED_DAYS * 86_400_000).toISOString();
  const archiveAt = performance.now();
  const archived = await service.main.ask<{
    events: number;
    bytes: number;
    sessions: readonly string[];
  }>('archive', before);
  const archiving = (performance.now() - archiveAt) / 1000;
  let next = 0;
  const fromArchive = await p99(
    () => `/sessions/${archived.sessions[next++ % archived.sessions.length] ?? ''}`,
  );
  bench.note(
    `${events} events; ${archived.events} archived in ${archiving.toFixed(0)} s (${Math.round(archived.events / archiving)}/s), ` +
      `${Math.round(archived.bytes / archived.events)} bytes each; ` +
      `a session read from the archive: p99 ${fromArchive.toFixed(1)} ms.`,
  );
  const each = Object.entries(stored).map(
    ([what, bytes]) => `${what} ${Math.round(bytes / events)}`,
  );
  bench.note(`Bytes an event in PostgreSQL, indexes included: ${each.join(', ')}.`);
  return [
    row('ready after start', 's', { subject: measured('full', [ready]) }, { goal: { atMost: 10 } }),
    row(
      'p99 of an append, 64 in flight',
      'ms',
      { subject: measured('full', [fullAppend]), peer: measured('empty', [emptyAppend]) },
      { goal: { atMost: 1.3 } },
    ),
    ...['audit', 'citizens', "one person's history"].map((what, index) =>
      row(
        `first page of ${what}, p99`,
        'ms',
        { subject: measured('full', [pages[index] ?? NaN]) },
        { goal: { atMost: 50 } },
      ),
    ),
    row(
      'rebuild of the audit',
      'events/s',
      { subject: measured('full', [perSecond]) },
      { goal: { atLeast: 50_000 } },
    ),
    row(
      'memory of a process of all roles',
      'MB',
      { subject: measured('full', [fullMemory]), peer: measured('empty', [emptyMemory]) },
      { goal: { atMost: 1.1 } },
    ),
  ];
}

/** Older than anything that is not archived. */
const metadata = JSON.stringify({ ...sampleMetadata, time: '2020-01-01T00:00:00.000Z' });

/** 99th percentile of single appends, ms. */
async function appendP99(bench: Bench, url: string): Promise<number> {
  const log = await openBenchLog(url);
  const append = (): Promise<Appended> =>
    log.append(`bench-${randomUUID()}`, [{ ...sampleEvent(), metadata }], 'none');
  await closedLoop(64, bench.size(2000, 100), append);
  const { latencies } = await closedLoop(64, bench.size(5000, 300), append);
  await log.stop();
  return latencyOf(latencies).p99;
}

/** Resident memory after a collection, MB. */
async function restingMemory({ main }: BenchService): Promise<number> {
  const { rss } = await main.ask<{ rss: number }>('memory');
  return rss / 1e6;
}
