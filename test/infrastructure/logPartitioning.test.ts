import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createLogUpkeep, type LogUpkeepStep } from '../../infrastructure/eventstore/logUpkeep.ts';
import { anEvent, readAll } from '../contracts/eventLogContract.ts';
import { until } from '../support/assertions/waiting.ts';
import { migrateUrl, migrateUrlTo, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const BEFORE = 100_000;

/** A step that gave up a lock, so as to keep nobody waiting on a busy machine: it is tried again. */
const isLockTimeout = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === '55P03';

/** Events as the release before stored them: streams of one to four, and a long one. */
const fill = `
  insert into event (position, stream, revision, event_id, type, data, metadata)
  select n,
    case when n % 10 = 0 then 'access-day' else 'session-' || md5((n / 4)::text) end,
    row_number() over (
      partition by case when n % 10 = 0 then 'access-day' else 'session-' || md5((n / 4)::text) end order by n) - 1,
    gen_random_uuid(), 'Tested', '{"n": ' || n || ', "текст":"\\u0000"}', '{"t":1}'
  from generate_series(1, ${BEFORE}) as n`;

const fingerprint = `
  select md5(string_agg(md5(position::text || stream || revision || event_id || type || data || metadata), ''
    order by position)) as sum from event where position <= ${BEFORE}`;

describe('an installation of the release before, with 100,000 events', () => {
  let url: string;
  let admin: pg.Client;

  beforeEach(async function () {
    this.timeout(120_000);
    url = await freshDatabase();
    await migrateUrlTo(url, '042_deadLetters');
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(fill);
  });

  afterEach(() => admin.end());

  async function single<Value>(text: string): Promise<Value | undefined> {
    const { rows } = await admin.query<[Value]>({ text, rowMode: 'array' });
    return rows[0]?.[0];
  }

  const isPartitioned = async () =>
    (await single<boolean>(`select relkind = 'p' from pg_class where oid = 'event'::regclass`)) ===
    true;

  /** A process of the release before: it knows the functions alone, and goes on all the time. */
  async function formerProcess(stream: (n: number) => string) {
    const client = new pg.Client({
      connectionString: url,
      statement_timeout: 5000,
      options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
    });
    await client.connect();
    const acknowledged: string[] = [];
    let running = true;
    async function run() {
      for (let n = 0; running; n += 1) {
        const ids = [randomUUID(), randomUUID()];
        if (n % 2 === 0) {
          await client.query({
            name: 'append_event',
            text: `select append_event($1, -2, $2, 'Tested', '{}', '{}')`,
            values: [stream(n), ids[0]],
          });
          acknowledged.push(ids[0] ?? '');
        } else {
          const texts = ['{}', '{}'];
          await client.query({
            name: 'append_events',
            text: `select previous::text from append_events(
              $1, '{-2}', '{1,1}', $2, '{1,2}', $3, $4, $4, $4)`,
            values: [[stream(n)], [stream(n), stream(n)], ids, texts],
          });
          acknowledged.push(...ids);
        }
      }
    }
    const done = run();
    return {
      acknowledged,
      stop: async () => {
        running = false;
        await done;
        await client.end();
      },
    };
  }

  async function expectSound(acknowledged: readonly string[]): Promise<void> {
    expect(await isPartitioned()).to.equal(true);
    const lost = await admin.query(
      'select id from unnest($1::uuid[]) as a(id) where not exists (select from event where event_id = id)',
      [acknowledged],
    );
    expect(lost.rows).to.deep.equal([]);
    expect(
      await single(`select count(*)::int - max(position)::int from event`),
      'gaps between positions',
    ).to.equal(0);
    expect(
      await single(`select count(*)::int from (
        select stream, count(*) - 1 as revision, max(revision) as newest, min(position) as first, max(position) as last
        from event group by stream) as e full join stream_head h using (stream)
        where e.revision is distinct from h.revision or e.newest is distinct from h.revision
          or first is distinct from first_position or last is distinct from last_position`),
      'streams whose head is wrong',
    ).to.equal(0);
  }

  it('is partitioned in place while processes of both releases append, whenever it is interrupted', async function () {
    this.timeout(120_000);
    const before = await single(fingerprint);
    const place = await single(`select relfilenode from pg_class where oid = 'event'::regclass`);
    const former = [
      await formerProcess((n) => `session-former-${n}`),
      await formerProcess(() => 'access-day'),
    ];
    await until(() => former.every(({ acknowledged }) => acknowledged.length > 50));

    await migrateUrl(url);
    const log = await startPostgresEventLog({ url });
    const appended: string[] = [];
    const stopping = new AbortController();
    const appending = (async () => {
      for (let n = 0; !stopping.signal.aborted; n += 1) {
        const event = anEvent();
        await log.append(n % 2 === 0 ? 'access-day' : `session-new-${n}`, [event], 'any');
        appended.push(event.id);
      }
    })();
    const old = await readAll(log, 'session-c4ca4238a0b923820dcc509a6f75849b');
    expect(old).to.have.lengthOf(4);

    const steps: LogUpkeepStep['step'][] = [];
    const errors: unknown[] = [];
    for (let starts = 0; !(await isPartitioned()); starts += 1) {
      const stopAfter = steps.length + 1 + (starts % 3);
      const upkeep = createLogUpkeep({
        url,
        everyMs: 50,
        slice: 1000,
        onStep: ({ step }) => steps.push(step),
        onError: (cause) => errors.push(cause),
      });
      upkeep.start();
      await until(async () => steps.length >= stopAfter || (await isPartitioned()), 90_000);
      await upkeep.stop();
    }
    const [first, second] = former.map(({ acknowledged }) => acknowledged.length);
    await until(
      () =>
        (former[0]?.acknowledged.length ?? 0) > (first ?? 0) + 20 &&
        (former[1]?.acknowledged.length ?? 0) > (second ?? 0) + 20,
    );
    stopping.abort();
    await appending;
    await Promise.all(former.map(({ stop }) => stop()));

    expect(errors.filter((error) => !isLockTimeout(error))).to.deep.equal([]);
    await expectSound([...appended, ...former.flatMap(({ acknowledged }) => acknowledged)]);
    expect(await single(fingerprint)).to.equal(before);
    expect(
      await single(`select relfilenode from pg_class where relname = 'event_from_1'`),
      'file of the table, not copied',
    ).to.equal(place);
    expect(await readAll(log, 'session-c4ca4238a0b923820dcc509a6f75849b')).to.deep.equal(old);
    await log.stop();
  });

  it('serves before it is partitioned, and waits for nobody who reads for long', async function () {
    this.timeout(120_000);
    await migrateUrl(url);
    const log = await startPostgresEventLog({ url });
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('begin isolation level repeatable read; select 1 from event limit 1');
    const errors: unknown[] = [];
    const steps: LogUpkeepStep['step'][] = [];
    const upkeep = createLogUpkeep({
      url,
      everyMs: 50,
      slice: 20_000,
      onStep: ({ step }) => steps.push(step),
      onError: (cause) => errors.push(cause),
    });
    upkeep.start();
    await until(() => steps.includes('waiting'), 60_000);

    const { revision } = await log.append('access-day', [anEvent()], BigInt(BEFORE / 10 - 1));
    expect(revision).to.equal(BigInt(BEFORE / 10));
    await reader.query('commit');
    await until(() => steps.includes('partitioned'), 60_000);

    await upkeep.stop();
    await reader.end();
    await log.stop();
    expect(errors.filter((error) => !isLockTimeout(error))).to.deep.equal([]);
    await expectSound([]);
  });
});
