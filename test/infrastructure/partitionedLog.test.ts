import { expect } from 'chai';
import pg from 'pg';
import { RevisionConflict } from '../../application/ports/faults.ts';
import { createLogUpkeep, type LogUpkeepStep } from '../../infrastructure/eventstore/logUpkeep.ts';
import type { PostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import { anEvent, collect, readAll } from '../contracts/eventLogContract.ts';
import { until } from '../support/assertions/waiting.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';

/** Position of the last event of the first partition. */
const FIRST_END = 10_000_000n;

describe('the log in PostgreSQL is partitioned by position', () => {
  let url: string;
  let admin: pg.Client;
  let log: PostgresEventLog;

  beforeEach(async () => {
    url = await migratedDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    log = await startPostgresEventLog({ url });
  });

  afterEach(async () => {
    await log.stop();
    await admin.end();
  });

  async function column<Value>(text: string, values: unknown[] = []): Promise<Value[]> {
    const { rows } = await admin.query<[Value]>({ text, values, rowMode: 'array' });
    return rows.map(([value]) => value);
  }

  const partitions = () =>
    column<string>(
      `select inhrelid::regclass::text from pg_inherits where inhparent = 'event'::regclass
       order by length(inhrelid::regclass::text), 1`,
    );

  /** The log as it is after so many events, of which only the last is kept. */
  async function standAt(position: bigint): Promise<void> {
    const { id, type, data, metadata } = anEvent();
    await admin.query('insert into event values ($1, $2, 0, $3, $4, $5, $6)', [
      String(position),
      `filler-${position}`,
      id,
      type,
      data,
      metadata,
    ]);
  }

  const smallPartitions = (size: number) =>
    admin.query('update event_partitioning set partition_size = $1', [size]);

  it('from the start of an installation, with a partition ahead', async () => {
    expect(await partitions()).to.deep.equal(['event_from_1', 'event_from_10000001']);
  });

  it('and has no index over ids or revisions that spans partitions', async () => {
    const indexes = await column(
      `select indexrelid::regclass::text from pg_index where indrelid = 'event'::regclass`,
    );
    expect(indexes).to.deep.equal(['event_pkey']);
  });

  it('crosses from one to the next inside a batch, without a gap', async () => {
    await standAt(FIRST_END - 5n);
    const seen = collect(log, { after: FIRST_END - 5n });

    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        log.append(`session-${n % 10}`, [anEvent({ n })], n < 10 ? 'none' : 'any'),
      ),
    );
    await until(() => seen.events.length === 20);
    await seen.stop();

    expect(seen.events.map(({ position }) => position)).to.deep.equal(
      Array.from({ length: 20 }, (_, n) => FIRST_END - 4n + BigInt(n)),
    );
    const places = await column('select count(*)::int from event group by tableoid order by 1');
    expect(places).to.deep.equal([6, 15]);
    expect((await readAll(log, 'session-3')).map(({ revision }) => revision)).to.deep.equal([
      0n,
      1n,
    ]);
    expect(await log.head()).to.equal(FIRST_END + 15n);
  });

  it('makes the partitions a batch needs itself when none was made ahead', async () => {
    await smallPartitions(5);
    await standAt(FIRST_END * 2n - 2n);

    const appended = await log.append(
      'session-1',
      Array.from({ length: 13 }, () => anEvent()),
      'none',
    );
    await log.append('session-1', [anEvent()], 12n);

    expect(appended.position).to.equal(FIRST_END * 2n + 11n);
    expect(await partitions()).to.include.members([
      'event_from_20000001',
      'event_from_20000006',
      'event_from_20000011',
    ]);
    const events = await readAll(log, 'session-1');
    expect(events.map(({ revision }) => Number(revision))).to.deep.equal([...Array(14).keys()]);
    expect(await log.head()).to.equal(FIRST_END * 2n + 12n);
  });

  it('guards the revision of a stream whose events are in an earlier partition', async () => {
    await log.append('session-1', [anEvent()], 'none');
    await standAt(FIRST_END);

    const outcomes = await Promise.allSettled([
      log.append('session-1', [anEvent()], 'none'),
      log.append('session-2', [anEvent()], 'none'),
      log.append('session-1', [anEvent()], 0n),
    ]);

    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect((outcomes[0] as PromiseRejectedResult).reason).to.be.instanceOf(RevisionConflict);
    expect((await readAll(log, 'session-1')).map(({ revision }) => revision)).to.deep.equal([
      0n,
      1n,
    ]);
  });

  for (const expected of ['any', 'none'] as const) {
    it(`answers an append at ${expected} repeated after a switch of partitions as the first time`, async () => {
      const events = [anEvent(), anEvent()];
      await standAt(FIRST_END - 2n);
      const first = await log.append('session-1', events, expected);
      await log.append('session-2', [anEvent()], 'none');

      expect(await log.append('session-1', events, expected)).to.deep.equal(first);
      expect(await readAll(log, 'session-1')).to.have.lengthOf(2);
    });
  }

  it('knows of every stream where it ends, whatever shared a batch', async () => {
    await standAt(FIRST_END - 100n);
    await Promise.allSettled(
      Array.from({ length: 400 }, (_, n) =>
        log.append(
          `session-${n % 37}`,
          Array.from({ length: 1 + (n % 3) }, () => anEvent()),
          n % 5 === 0 ? 'none' : n % 7 === 0 ? 1n : 'any',
        ),
      ),
    );

    const { rows } = await admin.query(
      `select * from (
         select stream, max(revision) as revision, min(position) as first, max(position) as last,
           count(*) - 1 as counted
         from event where stream like 'session-%' group by stream
       ) as e full join stream_head h using (stream)
       where counted is distinct from h.revision or e.revision is distinct from h.revision
         or first is distinct from first_position or last is distinct from last_position`,
    );
    expect(rows).to.deep.equal([]);
    expect(await column('select count(*)::int from stream_head')).to.deep.equal([37]);
  });

  it('refuses the id of an event of the partition before, and only that append', async () => {
    const used = anEvent();
    await standAt(FIRST_END - 1n);
    await log.append('session-1', [used], 'none');

    const outcomes = await Promise.allSettled([
      log.append('session-2', [anEvent()], 'none'),
      log.append('session-3', [used], 'none'),
      log.append('session-4', [anEvent()], 'any'),
    ]);

    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect((outcomes[1] as PromiseRejectedResult).reason).to.not.be.instanceOf(RevisionConflict);
  });

  it('reads a stream without touching the partitions that hold nothing of it', async () => {
    await smallPartitions(5);
    await standAt(FIRST_END * 2n - 1n);
    for (let n = 0; n < 100; n += 1) await log.append(`session-${n}`, [anEvent()], 'none');

    await admin.query('begin');
    await admin.query(`select * from read_stream('session-50', 0, 10)`);
    const locked = await column(
      `select distinct relation::regclass::text from pg_locks join pg_class c on c.oid = relation
       where pid = pg_backend_pid() and c.relkind = 'r' and relation::regclass::text like 'event_from%'`,
    );
    await admin.query('commit');

    expect((await partitions()).length).to.be.above(20);
    expect(locked).to.have.lengthOf(1);
  });

  it('adds a partition before it is needed, and drops the index of ids once they are past', async () => {
    await smallPartitions(20);
    await standAt(FIRST_END * 2n);
    await log.append('session-1', [anEvent()], 'none');
    const steps: LogUpkeepStep[] = [];
    const upkeep = createLogUpkeep({
      url,
      everyMs: 5,
      onStep: (step) => steps.push(step),
      onError: (cause) => {
        throw cause;
      },
    });
    upkeep.start();
    try {
      await until(async () => (await partitions()).length === 4);
      for (let n = 0; n < 20; n += 1) await log.append('session-1', [anEvent()], 'any');
      await until(async () => (await partitions()).length === 5);
      await until(() => steps.some(({ step }) => step === 'idsDropped'));
      await until(() => steps.filter(({ step }) => step === 'idsDropped').length === 2);
    } finally {
      await upkeep.stop();
    }

    const guarded = await column(
      `select c.conrelid::regclass::text from pg_constraint c join pg_attribute a
       on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
       where c.contype = 'u' and a.attname = 'event_id' and c.conrelid::regclass::text like 'event_from%'
       order by 1`,
    );
    expect(guarded).to.deep.equal([
      'event_from_20000001',
      'event_from_20000021',
      'event_from_20000041',
    ]);
  });
});
