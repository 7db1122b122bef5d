import { randomUUID } from 'node:crypto';
import { sessionTopic, streamOf } from '../../../domain/shared/streams.ts';
import { rebuildBySql, rebuildNaively } from '../peers/sqlRebuild.ts';
import { openLoop } from '../../../main/drill/openLoop.ts';
import { closedLoop } from '../support/load.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { forgetSessionRows, rebuildSessions, startProjecting } from '../support/projecting.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import {
  buildSessionHistory,
  type SessionHistory,
  sessionEvents,
} from '../support/sessionHistory.ts';
import { latencyOf } from '../support/statistics.ts';

const CYCLES_PER_SECOND = 1000;

/** P10: rebuild of the session read model from the log, and its delay while the log grows. */
export const rebuildScenario: Scenario = { id: 'P10', title: 'Projection rebuild and lag', run };

async function run(bench: Bench): Promise<readonly Row[]> {
  const size = bench.size(1_000_000, 5000);
  bench.progress(`storing ${size} events`);
  const history = await buildSessionHistory(await bench.freshDatabase('history'), size);
  bench.atEnd(() => history.close());
  const naiveEvents = bench.size(10_000, 500);
  const rate = async (events: number, work: () => Promise<void>) => {
    const startedAt = performance.now();
    await work();
    return (events / (performance.now() - startedAt)) * 1000;
  };

  const runs = await interleave(
    // Each run processes a million events: three are enough.
    Math.min(bench.rounds, 3),
    {
      catchUp: async () => {
        await forgetSessionRows(history);
        return rate(history.events, () => catchUp(history));
      },
      rebuild: () => rate(history.events, () => rebuildSessions(history)),
      sql: () => rate(history.events, () => rebuildBySql(history.pool)),
      naive: () => rate(naiveEvents, () => rebuildNaively(history.pool, naiveEvents)),
    },
    bench.progress,
  );
  const wrong = await differences(history);
  bench.progress('lag');
  const atRate = latencyOf(await lag(history, bench, 'open'));
  const atMost = latencyOf(await lag(history, bench, 'closed'));
  bench.note(
    `lag p50 ${atRate.p50.toFixed(1)} ms at ${CYCLES_PER_SECOND} cycles/s (${atRate.count} samples), ` +
      `${atMost.p50.toFixed(1)} ms at full append load (${atMost.count} samples).`,
  );
  const rebuilt = measured('rebuild', runs.rebuild);
  return [
    row(
      'rebuild of the sessions',
      'events/s',
      { subject: rebuilt, peer: measured('SQL only', runs.sql) },
      { floor: { atLeast: 0.35 }, goal: { atLeast: 0.6 } },
    ),
    row(
      'rebuild of the sessions',
      'events/s',
      { subject: rebuilt, peer: measured('one upsert per event', runs.naive) },
      { goal: { atLeast: 45 } },
    ),
    row(
      'catch-up of a running projector',
      'events/s',
      { subject: measured('projector', runs.catchUp) },
      { goal: { atLeast: 200_000 } },
    ),
    row(
      'rows that differ from the SQL rebuild',
      'rows',
      { subject: measured('differences', [wrong]) },
      { floor: { atMost: 0 }, goal: { atMost: 0 } },
    ),
    row(
      `lag p99 at ${CYCLES_PER_SECOND} cycles/s`,
      'ms',
      { subject: measured('lag', [atRate.p99]) },
      { floor: { atMost: 100 }, goal: { atMost: 25 } },
    ),
    row(
      'lag p99 at full append load',
      'ms',
      { subject: measured('lag', [atMost.p99]) },
      { goal: { atMost: 250 } },
    ),
  ];
}

async function catchUp(history: SessionHistory): Promise<void> {
  const projecting = startProjecting(history);
  const head = (await history.eventStore.head()) ?? 0n;
  await projecting.projector.untilProjected(head, 120_000);
  await projecting.stop();
}

/** Number of rows that differ between the projector's table and the SQL rebuild's. */
async function differences(history: SessionHistory): Promise<number> {
  const { rows } = await history.pool.query<{ count: bigint }>(
    `select count(*) from (
       (select * from session_view except select * from peer_session_view)
       union all (select * from peer_session_view except select * from session_view)) as d`,
  );
  return Number(rows[0]?.count);
}

/** Time from an acknowledged completion to its committed row, ms, per session. */
async function lag(
  history: SessionHistory,
  bench: Bench,
  load: 'open' | 'closed',
): Promise<number[]> {
  const durableAt = new Map<string, number>();
  const visibleAt = new Map<string, number>();
  const projecting = startProjecting(history, {
    notify: (topics) => {
      const now = performance.now();
      for (const topic of topics) visibleAt.set(topic, now);
    },
  });
  const cycle = async (index: number) => {
    const id = randomUUID();
    const [started, confirmed] = sessionEvents(id, index * 2, 600_000);
    if (started === undefined || confirmed === undefined)
      throw new Error('The session has no events.');
    const stream = streamOf('session', id);
    await history.eventStore.append(stream, [started], 'none');
    await history.eventStore.append(stream, [confirmed], 0n);
    durableAt.set(sessionTopic(id), performance.now());
  };
  const milliseconds = bench.size(10_000, 1000);
  if (load === 'open') await openLoop(CYCLES_PER_SECOND, milliseconds, cycle);
  else await closedLoop(64, milliseconds, cycle);
  await projecting.projector.untilProjected((await history.eventStore.head()) ?? 0n, 60_000);
  await projecting.stop();
  return [...durableAt].map(([topic, at]) => Math.max(0, (visibleAt.get(topic) ?? Infinity) - at));
}
