import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { RevisionConflict } from '../../../application/ports/faults.ts';
import { startEmmett } from '../peers/emmett.ts';
import {
  installMessageDb,
  MESSAGE_DB_SEARCH_PATH,
  writeMessageScript,
} from '../peers/messageDb.ts';
import { findProgram, pgbench, type PgbenchOptions } from '../peers/pgbench.ts';
import { createPeerTable, singleRowInsertScript } from '../peers/singleRowInsert.ts';
import { startChildServer } from '../support/childServer.ts';
import type { EventLog } from '../../../application/ports/eventLog.ts';
import { openBenchLog } from '../support/eventLog.ts';
import { closedLoop } from '../support/load.ts';
import { interleave, measured, type Measured, type Row, row } from '../support/measure.ts';
import { sampleData, sampleEvent, sampleTexts } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { latencyOf } from '../support/statistics.ts';

const IN_FLIGHT = 64;

/**
 * P1: durable single-event appends to distinct streams with expected revision, acknowledged after
 * the commit.
 */
export const appendScenario: Scenario = { id: 'P1', title: 'Append', run };

async function run(bench: Bench): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('log');
  const log = await openBenchLog(databaseUrl);
  bench.atEnd(() => log.stop());
  await createPeerTable(databaseUrl);
  const emmett = await startEmmett(await bench.freshDatabase('emmett'), sampleData);
  bench.atEnd(() => emmett.close());
  const messageDbUrl = await bench.freshDatabase('message_db');
  await installMessageDb(messageDbUrl);
  const milliseconds = bench.size(2500, 300);
  const program = findProgram('pgbench');
  if (program === null) {
    bench.note('pgbench and message-db left out: no pgbench (Debian: postgresql-contrib).');
  }
  const ourAppends = (inFlight: number) => () =>
    closedLoop(inFlight, milliseconds, () => append(log));
  const withPgbench = (
    options: Pick<PgbenchOptions, 'url' | 'script' | 'clients' | 'searchPath'>,
  ) =>
    program === null
      ? () => Promise.resolve(null)
      : () =>
          pgbench({
            ...options,
            program,
            directory: bench.directory,
            // A busy machine needs more than a second to connect 32 clients.
            length: bench.quick
              ? { transactions: 10 }
              : { seconds: Math.round(milliseconds / 1000) },
          });

  await closedLoop(IN_FLIGHT, milliseconds, () => append(log));
  const runs = await interleave(
    bench.rounds,
    {
      ours64: ourAppends(IN_FLIGHT),
      pgbench32: withPgbench({ url: databaseUrl, script: singleRowInsertScript, clients: 32 }),
      ours1: ourAppends(1),
      pgbench1: withPgbench({ url: databaseUrl, script: singleRowInsertScript, clients: 1 }),
      emmett: () => closedLoop(32, milliseconds, () => emmett.append(`session-${randomUUID()}`)),
      messageDb: withPgbench({
        url: messageDbUrl,
        script: writeMessageScript(sampleTexts.data, sampleTexts.metadata),
        clients: 32,
        searchPath: MESSAGE_DB_SEARCH_PATH,
      }),
    },
    bench.progress,
  );

  const rate = (results: readonly { readonly perSecond: number }[]) =>
    results.map(({ perSecond }) => perSecond);
  const ours64 = measured('64 in flight', rate(runs.ours64));
  const latency = latencyOf(runs.ours64.flatMap(({ latencies }) => latencies));
  bench.note(`p99 from ${latency.count} samples; p50 ${latency.p50.toFixed(2)} ms.`);
  return [
    ...against('appends, 64 in flight', ours64, peer('pgbench c=32', runs.pgbench32), {
      floor: { atLeast: 1.2 },
      goal: { atLeast: 2 },
    }),
    row(
      'appends, 64 in flight',
      'events/s',
      { subject: ours64, peer: measured('Emmett, 32 in flight', rate(runs.emmett)) },
      { floor: { atLeast: 5 }, goal: { atLeast: 10 } },
    ),
    ...against('appends, 64 in flight', ours64, peer('message-db c=32', runs.messageDb), {
      floor: { atLeast: 5 },
      goal: { atLeast: 10 },
    }),
    ...against(
      'appends, 1 in flight',
      measured('1 in flight', rate(runs.ours1)),
      peer('pgbench c=1', runs.pgbench1),
      { goal: { atLeast: 0.55 } },
    ),
    row(
      'p99 of an append, 64 in flight',
      'ms',
      { subject: measured('64 in flight', [latency.p99]) },
      { goal: { atMost: 5 } },
    ),
    await lostAcknowledgements(bench),
    await misjudgedConflicts(bench, log),
  ];
}

function append(log: EventLog): Promise<unknown> {
  return log.append(`session-${randomUUID()}`, [sampleEvent()], 'none');
}

function peer(name: string, rates: readonly (number | null)[]): Measured | null {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : measured(name, known);
}

function against(
  measure: string,
  subject: Measured,
  opponent: Measured | null,
  target: Parameters<typeof row>[3],
): Row[] {
  return opponent === null ? [] : [row(measure, 'events/s', { subject, peer: opponent }, target)];
}

/** Kills writers with SIGKILL: every acknowledged append must be stored. */
async function lostAcknowledgements(bench: Bench): Promise<Row> {
  const databaseUrl = await bench.freshDatabase('killed');
  await (await openBenchLog(databaseUrl)).stop();
  const acknowledgedFile = join(bench.directory, 'acknowledged');
  for (let kill = 1; kill <= bench.size(5, 1); kill += 1) {
    bench.progress(`kill -9 of a writer, ${kill}`);
    const writer = await startChildServer({
      module: new URL('../support/eventLogWriter.js', import.meta.url),
      settings: { databaseUrl, acknowledgedFile, inFlight: IN_FLIGHT },
    });
    await new Promise((resolve) => setTimeout(resolve, bench.size(800, 300)));
    await writer.kill();
  }
  const acknowledged = (await readFile(acknowledgedFile, 'utf8')).split('\n').slice(0, -1);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ lost: string }>(
    'select count(*) as lost from unnest($1::text[]) as a(stream) where not exists (select from event e where e.stream = a.stream)',
    [acknowledged],
  );
  await client.end();
  bench.note(`${acknowledged.length} appends were acknowledged before the kills.`);
  return row(
    'acknowledged appends lost by kill -9',
    'events',
    { subject: measured('lost', [Number(rows[0]?.lost)]) },
    { floor: { atMost: 0 }, goal: { atMost: 0 } },
  );
}

/** Concurrent appends, every tenth with a wrong expected revision: exactly those must fail. */
async function misjudgedConflicts(bench: Bench, log: EventLog): Promise<Row> {
  const stream = `session-${randomUUID()}`;
  await log.append(stream, [sampleEvent()], 'none');
  const outcomes = await Promise.allSettled(
    Array.from({ length: bench.size(5000, 200) }, (_, index) =>
      index % 10 === 0 ? log.append(stream, [sampleEvent()], 'none') : append(log),
    ),
  );
  const misjudged = outcomes.filter((outcome, index) =>
    index % 10 === 0
      ? outcome.status !== 'rejected' || !(outcome.reason instanceof RevisionConflict)
      : outcome.status === 'rejected',
  );
  return row(
    'appends hurt by a conflict in their batch',
    'appends',
    { subject: measured('misjudged', [misjudged.length]) },
    { floor: { atMost: 0 }, goal: { atMost: 0 } },
  );
}
