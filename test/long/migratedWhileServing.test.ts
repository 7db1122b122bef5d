import { expect } from 'chai';
import pg from 'pg';
import { eventLine } from '../../infrastructure/export/eventLines.ts';
import { until } from '../support/assertions/waiting.ts';
import { migratedDatabase, migrateUrlTo } from '../support/events/eventLogs.ts';
import {
  prepareInstallation,
  type RelyingPartyCredentials,
} from '../support/installation/installation.ts';
import {
  createLiveRelyingParty,
  enrolLivePhone,
  liveCitizens,
  type LivePhone,
} from '../support/installation/liveCallers.ts';
import {
  createServiceProcess,
  eventStoreUrl,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { startSessionLoad } from '../support/installation/sessionLoad.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

/** The newest schema of the release before, whose log is one table. */
const BEFORE = '042_deadLetters';
const EVENTS = 100_000;
/** Sessions that the events are made from. */
const TEMPLATES = 8;

describe('An installation of the release before, with 100,000 events', function () {
  this.timeout(300_000);
  let url: string;
  let client: pg.Client;
  let credentials: RelyingPartyCredentials;
  let phones: readonly LivePhone[];
  let service: ServiceProcess;

  before(async function () {
    if (eventStoreUrl !== undefined) {
      console.log('skipped: only a log in PostgreSQL is partitioned');
      this.skip();
    }
    const template = await migratedDatabase();
    credentials = await prepareInstallation({ SVC_DATABASE_URL: template });
    service = await createServiceProcess({ SVC_DATABASE_URL: template });
    await service.start();
    phones = [];
    for (const citizen of liveCitizens.slice(0, 4)) {
      phones = [...phones, await enrolLivePhone(service.origin, citizen)];
    }
    const load = startSessionLoad(createLiveRelyingParty(service.origin, credentials), phones, 1);
    await until(() => load.completed() >= TEMPLATES);
    await load.stop();
    await service.stop();

    url = await freshDatabase();
    await migrateUrlTo(url, BEFORE);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await copyTables(template, client);
    await client.query(multiplySessions);
    // Positions of an installation that has been running.
    await client.query('update checkpoint set position = (select max(position) from event)');
  });

  after(async () => {
    if (eventStoreUrl !== undefined) return;
    if (!service.hasEnded()) await service.kill();
    await client.end();
  });

  async function single<Value>(text: string): Promise<Value | undefined> {
    const { rows } = await client.query<[Value]>({ text, rowMode: 'array' });
    return rows[0]?.[0];
  }

  /** The lines of an export of the first events. */
  async function exportOf(events: bigint): Promise<string> {
    const { rows } = await client.query<Record<string, string>>(
      `select position, stream, revision, event_id, type, data, metadata from event
       where position <= $1 order by position`,
      [events],
    );
    return rows
      .map((row) =>
        eventLine({
          position: BigInt(row['position'] ?? ''),
          stream: row['stream'] ?? '',
          revision: BigInt(row['revision'] ?? ''),
          id: row['event_id'] ?? '',
          type: row['type'] ?? '',
          data: row['data'] ?? '',
          metadata: row['metadata'] ?? '',
        }),
      )
      .join('\n');
  }

  it('is partitioned while citizens log in: no request fails, and the log has the same bytes', async () => {
    const events = BigInt((await single<string>('select max(position) from event')) ?? 0);
    expect(Number(events)).to.be.at.least(EVENTS);
    const before = await exportOf(events);

    // In its place, so that the phones find it.
    service = await createServiceProcess({ SVC_DATABASE_URL: url }, service.origin);
    await service.start();
    const relyingParty = createLiveRelyingParty(service.origin, credentials);
    const load = startSessionLoad(relyingParty, phones, 1);
    const isPartitioned = () =>
      single<boolean>(
        `select bool_and(relkind = 'p') from pg_class
         where oid = any('{event,session_view,audit_view}'::regclass[])`,
      );
    const beganAt = Date.now();
    await until(async () => (await isPartitioned()) === true, 120_000);
    const during = load.completed();
    const seconds = (Date.now() - beganAt) / 1000;
    await until(() => load.completed() > during + 20);
    await load.stop();
    await service.stop();

    expect(load.surprises).to.deep.equal([]);
    // Refused for load is what other tests on this machine cause.
    expect(load.interruptions.filter((what) => !what.includes('OVERLOADED'))).to.deep.equal([]);
    console.log(
      `      ${during} cycles within ${seconds} s, ${Math.round(during / seconds)} a second`,
    );
    expect(during).to.be.greaterThan(0);
    expect((await exportOf(events)) === before, 'the same bytes').to.equal(true);
    expect(
      await single(`select count(*)::int from (
        select stream, count(*) - 1 as revision from event group by stream) as e
        full join stream_head h using (stream) where e.revision is distinct from h.revision`),
      'streams whose head is wrong',
    ).to.equal(0);
  });
});

/** Copies what a table of the target's schema has in the source, column by column. */
async function copyTables(source: string, target: pg.Client): Promise<void> {
  const from = new pg.Client({ connectionString: source });
  await from.connect();
  const { rows: tables } = await target.query<{ name: string; columns: string }>(
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname !~ '^kysely_' and a.attgenerated = ''
     group by c.relname`,
  );
  for (const { name, columns } of tables) {
    const { rows } = await from.query<{ row: string }>(
      `select to_json(t)::text as row from (select ${columns} from ${pg.escapeIdentifier(name)}) as t`,
    );
    await target.query(`truncate ${pg.escapeIdentifier(name)} cascade`);
    await target.query(
      `insert into ${pg.escapeIdentifier(name)} (${columns})
       overriding system value select ${columns} from json_populate_recordset(null::${pg.escapeIdentifier(name)}, $1)`,
      [`[${rows.map(({ row }) => row).join(',')}]`],
    );
  }
  await from.end();
}

/** Repeats the sessions there are under other ids, behind the events there are. */
const multiplySessions = `
  with template as (
    select stream, row_number() over (order by min(position)) - 1 as n, count(*) over () as of
    from event where stream like 'session-%' group by stream having count(*) = 2
  ), head as (select max(position) as position from event)
  insert into event (position, stream, revision, event_id, type, data, metadata)
  select h.position + row_number() over (order by s.n, e.revision), 'session-' || s.id, e.revision, gen_random_uuid(),
    e.type, replace(e.data, substr(e.stream, 9), s.id), replace(e.metadata, substr(e.stream, 9), s.id)
  from head h, (select n, gen_random_uuid()::text as id from generate_series(1, ${EVENTS / 2}) as n) as s
    join template t on t.n = s.n % t.of join event e on e.stream = t.stream`;
