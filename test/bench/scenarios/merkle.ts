import type pg from 'pg';
import { createTreeProofs } from '../../../application/audit/treeProofs.ts';
import type { AuditTreeStore } from '../../../application/audit/ports/auditTree.ts';
import type { LoggedEvent } from '../../../application/ports/eventLog.ts';
import { createAuditTreeGrower } from '../../../application/reactors/growAuditTree.ts';
import { createGrowingTree, eventLeafHash } from '../../../domain/merkle/hashTree.ts';
import type { PostgresEventLog } from '../../../infrastructure/eventstore/postgresEventLog.ts';
import { createPostgresAuditTree } from '../../../infrastructure/postgres/auditTree.ts';
import { createPool } from '../../../infrastructure/postgres/pool.ts';
import { createLeaderLock } from '../../../infrastructure/postgres/leaderLock.ts';
import { openBenchLog } from '../support/eventLog.ts';
import { measured, type Row, row } from '../support/measure.ts';
import { sampleTexts } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { median, percentile } from '../support/statistics.ts';

/** Cost of the Merkle tree per event, its growth with the log, and the time of proofs. */
export const merkleScenario: Scenario = { id: 'MERKLE', title: 'Tree over the log', run };

const PROOFS = 1000;

async function run(bench: Bench): Promise<readonly Row[]> {
  const size = bench.size(1_000_000, 5000);
  const url = await bench.freshDatabase('merkle');
  const log = await openBenchLog(url);
  bench.atEnd(() => log.stop());
  const pool = createPool({ url });
  bench.atEnd(() => pool.end());
  bench.progress(`storing ${size} events`);
  await storeEvents(pool, size);
  const store = createPostgresAuditTree(pool, true);

  bench.progress('growing the tree');
  const marks = await grow(url, log, store, size);
  const tenth = size / 10;
  const first = between(marks, 0, tenth);
  const last = between(marks, size - tenth, size);
  const whole = between(marks, 0, size);

  bench.progress('proving');
  const proofs = createTreeProofs(store);
  const random = (below: number) => Math.floor(Math.random() * below);
  const inclusions = await timed(() => proofs.inclusion(random(size), size));
  const consistencies = await timed(() => proofs.consistency(1 + random(size), size));
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('audit_tree_tile')::float8 as bytes`,
  );
  const alone = (measure: string, unit: string, value: number) =>
    row(measure, unit, { subject: measured('tree', [value]) });
  return [
    alone('grown behind a log of that size', 'events/s', 1000 / whole.milliseconds),
    alone('cost of an event, first tenth', 'µs', first.milliseconds * 1000),
    alone('cost of an event, last tenth', 'µs', last.milliseconds * 1000),
    alone('processor time of an event, whole', 'µs', whole.processor),
    alone('of it hashing', 'µs', hashingCost(await someEvents(pool, Math.min(size, 50_000)))),
    alone('stored for an event', 'bytes', (rows[0]?.bytes ?? 0) / size),
    alone('inclusion proof, p50', 'ms', median(inclusions)),
    alone('inclusion proof, p99', 'ms', percentile(inclusions, 0.99)),
    alone('consistency proof, p50', 'ms', median(consistencies)),
    alone('consistency proof, p99', 'ms', percentile(consistencies, 0.99)),
  ];
}

/** Stores events of the size of a started session, as the log would. */
async function storeEvents(pool: pg.Pool, size: number): Promise<void> {
  await pool.query(
    `insert into event (position, stream, revision, event_id, type, data, metadata)
     select n, 'session-' || gen_random_uuid(), 0, gen_random_uuid(), 'SessionStarted', $2, $3
     from generate_series(1, $1::bigint) n`,
    [size, sampleTexts.data, sampleTexts.metadata],
  );
  await pool.query('vacuum analyze event');
}

async function someEvents(pool: pg.Pool, count: number): Promise<readonly LoggedEvent[]> {
  const { rows } = await pool.query<LoggedEvent>(
    `select position, stream, revision, event_id as id, type, data, metadata from event
     order by position limit $1`,
    [count],
  );
  return rows;
}

/** Tree size and processor time at a moment. */
interface Mark {
  readonly size: number;
  readonly milliseconds: number;
  /** Processor time, µs. */
  readonly processor: number;
}

function markNow(size: number): Mark {
  const { user, system } = process.cpuUsage();
  return { size, milliseconds: performance.now(), processor: user + system };
}

async function grow(
  url: string,
  log: PostgresEventLog,
  store: AuditTreeStore,
  size: number,
): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  await new Promise<void>((resolve, reject) => {
    const watched: AuditTreeStore = {
      ...store,
      state: async () => {
        const state = await store.state();
        marks.push(markNow(state.size));
        return state;
      },
      grow: async (growth) => {
        const isKept = await store.grow(growth);
        marks.push(markNow(growth.to.size));
        if (growth.to.size >= size) resolve(grower.stop());
        return isKept;
      },
    };
    const grower = createAuditTreeGrower({
      eventLog: log,
      store: watched,
      heads: { signIfDue: () => Promise.resolve() },
      leaderLock: createLeaderLock({ url }),
      signEveryMs: 3_600_000,
      onFailure: (_name, cause) => {
        reject(cause instanceof Error ? cause : new Error('The tree failed.', { cause }));
      },
    });
    grower.start();
  });
  return marks;
}

/** Cost per event while the tree grew from about `from` to about `to`. */
function between(marks: readonly Mark[], from: number, to: number) {
  const start = marks.findLast((mark) => mark.size <= from) ?? markNow(0);
  const end = marks.find((mark) => mark.size >= to) ?? markNow(to);
  const events = end.size - start.size;
  return {
    milliseconds: (end.milliseconds - start.milliseconds) / events,
    processor: (end.processor - start.processor) / events,
  };
}

/** Processor time of an event's leaf and its share of the nodes above, µs, without storage. */
function hashingCost(events: readonly LoggedEvent[]): number {
  const tree = createGrowingTree(0, []);
  const before = markNow(0).processor;
  for (const event of events) tree.append(eventLeafHash(event));
  return (markNow(0).processor - before) / events.length;
}

async function timed(work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let done = 0; done < PROOFS; done += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times;
}
