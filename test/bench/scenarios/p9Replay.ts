import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { startEmmett } from '../peers/emmett.ts';
import { findProgram } from '../peers/pgbench.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { replayLog } from '../support/replay.ts';
import { sampleData } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { buildSessionHistory } from '../support/sessionHistory.ts';

/**
 * P9: an auditor's replay of the whole log: read in order, decode, decrypt, upcast, fold, check
 * continuity.
 */
export const replayScenario: Scenario = { id: 'P9', title: 'Replay', run };

const COPY =
  'copy (select position, stream, revision, event_id, type, data, metadata from event order by position) to stdout';
const EMMETT_STREAM_EVENTS = 5000;

async function run(bench: Bench): Promise<readonly Row[]> {
  const size = bench.size(1_000_000, 5000);
  bench.progress(`storing ${size} events`);
  const history = await buildSessionHistory(await bench.freshDatabase('history'), size);
  bench.atEnd(() => history.close());
  const emmett = await startEmmett(await bench.freshDatabase('emmett'), sampleData);
  bench.atEnd(() => emmett.close());
  const emmettStreams = bench.size(20, 2);
  for (let stream = 0; stream < emmettStreams; stream += 1) {
    await emmett.append(`session-${stream}`, EMMETT_STREAM_EVENTS);
  }
  const psql = findProgram('psql');
  if (psql === null) bench.note('psql is not installed: COPY is read by this process instead.');

  const runs = await interleave(
    bench.rounds,
    {
      ours: () => replayLog(history.eventStore),
      copy: () =>
        eventsPerSecond(history.events, () =>
          psql === null ? copyHere(history.databaseUrl) : copyByPsql(psql, history.databaseUrl),
        ),
      emmett: () =>
        eventsPerSecond(emmettStreams * EMMETT_STREAM_EVENTS, async () => {
          for (let stream = 0; stream < emmettStreams; stream += 1) {
            await emmett.fold(`session-${stream}`);
          }
        }),
    },
    bench.progress,
  );

  const ours = measured(
    'replay',
    runs.ours.map(({ events, milliseconds }) => (events / milliseconds) * 1000),
  );
  const faults = runs.ours.map(
    ({ events, streams, gaps, confirmed }) =>
      Math.abs(events - history.events) +
      Math.abs(streams - history.sessions) +
      Math.abs(confirmed - history.sessions) +
      gaps,
  );
  bench.note(`${history.events} events in ${history.sessions} streams, start texts encrypted.`);
  return [
    row(
      'whole-log replay',
      'events/s',
      { subject: ours, peer: measured('psql COPY', runs.copy) },
      { floor: { atLeast: 0.45 }, goal: { atLeast: 0.75 } },
    ),
    row(
      'whole-log replay',
      'events/s',
      { subject: ours, peer: measured('Emmett aggregateStream', runs.emmett) },
      { goal: { atLeast: 2.2 } },
    ),
    row(
      'events missing, repeated or out of order',
      'events',
      { subject: measured('faults', faults) },
      { floor: { atMost: 0 }, goal: { atMost: 0 } },
    ),
  ];
}

async function eventsPerSecond(events: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (events / (performance.now() - startedAt)) * 1000;
}

async function copyByPsql(psql: string, url: string): Promise<void> {
  const child = spawn(psql, ['-q', '-c', COPY, url], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`psql ended with ${String(code)}.`);
}

async function copyHere(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const stream = client.query(copyStreams.to(COPY));
    stream.resume();
    await once(stream, 'end');
  } finally {
    await client.end();
  }
}
