import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createViewUpkeep, type ViewUpkeepStep } from '../../infrastructure/postgres/viewUpkeep.ts';
import type { Database } from '../../projections/database.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { until } from '../support/assertions/waiting.ts';
import type { sessionExpired } from '../support/events/exampleEvents.ts';
import { recordable, sessionStarted } from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

/** A step that gave up a lock, so as to keep nobody waiting on a busy machine, or was ended: it is tried again. */
const isInterrupted = (error: unknown) =>
  error instanceof pg.DatabaseError && ['55P03', '57P01'].includes(error.code ?? '');

/** An id made that many days ago, or to be made then. */
function idOf(daysAgo: number): string {
  const hex = (Date.now() - daysAgo * 86_400_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

async function given(side: ReadSide, id: string, ...further: ReturnType<typeof sessionExpired>[]) {
  const events = [sessionStarted(id), ...further].map((event) => recordable(event));
  return (await side.eventStore.append(`session-${id}`, events, 'any')).position;
}

function upkeepOf(side: ReadSide, onStep: (step: ViewUpkeepStep) => void) {
  const errors: unknown[] = [];
  const upkeep = createViewUpkeep({
    url: side.url,
    views: ['session_view', 'audit_view'],
    everyMs: 50,
    onStep,
    onError: (cause) => errors.push(cause),
  });
  upkeep.start();
  return { errors, stop: () => upkeep.stop() };
}

async function partitionsOf(database: Kysely<Database>, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on oid = inhrelid
    where inhparent = ${table}::regclass order by relname`.execute(database);
  return rows.map(({ name }) => name);
}

/** The partition of each session. */
async function places(database: Kysely<Database>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; place: string }>`
    select session_id as id, tableoid::regclass::text as place from session_view`.execute(database);
  return new Map(rows.map(({ id, place }) => [id, place]));
}

const monthOf = (id: string) => {
  const time = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  return `session_view_${time.toISOString().slice(0, 7).replace('-', '_')}`;
};

describe('Partitions of sessions and audit', () => {
  let side: ReadSide;

  beforeEach(async () => {
    side = await openReadSide();
  });

  afterEach(() => side.close());

  async function project(...ids: string[]) {
    for (const id of ids) await given(side, id);
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await projector.stop();
  }

  it('are swapped in by a rebuild once no transaction keeps the table, which keeps nobody else waiting', async () => {
    await project(idOf(0));
    const pool = createPool({ url: side.url });
    const [backup, reader] = [await pool.connect(), await pool.connect()];
    await backup.query('begin; select from session_view');
    const isKept = async () => {
      const { rows } = await reader.query<{ kept: boolean }>(
        `select is_kept_for_long('session_view') as kept`,
      );
      return rows[0]?.kept === true;
    };
    await until(isKept);
    await reader.query(`set lock_timeout = '100ms'`);
    let isOver = false;
    const rebuilding = rebuildReadModel('sessions', {
      ...side,
      bulkWriter: createCopyWriter({ pool }),
    }).finally(() => (isOver = true));
    // Time of two attempts at a swap.
    const enough = performance.now() + 2500;
    await until(async () => {
      await reader.query('select from session_view');
      return performance.now() > enough;
    });
    expect(isOver).to.equal(false);
    await backup.query('commit');
    await rebuilding;
    backup.release();
    reader.release(true);
    await pool.end();
    expect([...(await places(side.database)).values()]).to.deep.equal([monthOf(idOf(0))]);
  });

  it('are created in advance, and take rows that arrived before', async () => {
    const [, thisMonth, next] = (await partitionsOf(side.database, 'session_view')).filter((name) =>
      /\d$/.test(name),
    );
    expect(thisMonth).to.equal(monthOf(idOf(0)));
    await sql`drop table ${sql.table(next ?? '')}`.execute(side.database);
    await sql`update event_partitioning set partition_size = 1`.execute(side.database);
    await sql`insert into event (position, stream, revision, event_id, type, data, metadata)
      values (10, 'test-1', 0, gen_random_uuid(), 'Tested', '{}', '{}')`.execute(side.database);
    await sql`drop table ${sql.table('audit_view_from_1')}`.execute(side.database);
    const now = new Date();
    const midNextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15);
    const ahead = idOf(Math.round((now.getTime() - midNextMonth) / 86_400_000));
    const old = randomUUID().replace(/^../, '00');
    await project(ahead, old, ...Array.from({ length: 8 }, () => idOf(0)));
    expect((await places(side.database)).get(ahead)).to.equal('session_view_other');

    const steps: ViewUpkeepStep[] = [];
    const upkeep = upkeepOf(side, (step) => steps.push(step));
    await until(() => steps.filter(({ step }) => step === 'partitionsAdded').length === 2);
    await upkeep.stop();
    expect(upkeep.errors.filter((error) => !isInterrupted(error))).to.deep.equal([]);
    const found = await places(side.database);
    expect(found.get(ahead)).to.equal(next);
    expect(found.get(old)).to.equal('session_view_other');
    const { rows } = await sql<{ place: string; rows: number }>`
      select tableoid::regclass::text as place, count(*)::int as rows from audit_view
      group by 1 order by min(position)`.execute(side.database);
    expect(rows.at(0)).to.deep.equal({ place: 'audit_view_from_1', rows: 5 });
    expect(rows.reduce((sum, each) => sum + each.rows, 0)).to.equal(10);
  });

  it('are added beside the projector, which waits with a row for one of them, and parks nothing', async () => {
    const id = idOf(-70);
    const month = monthOf(id);
    const adding = new pg.Client({ connectionString: side.url });
    await adding.connect();
    await adding.query('begin');
    await adding.query(
      `select add_view_partition('session_view', $1, session_id_at(m), session_id_at(m + interval '1 month'))
       from (select to_date($2, 'YYYY_MM')::timestamp at time zone 'UTC' as m) as at`,
      [month, month.slice(-7)],
    );
    await given(side, id);
    const projector = side.projector();
    projector.start();
    await until(async () => {
      const { rows } = await sql`
        select from pg_locks where relation = 'session_view_other'::regclass and not granted`.execute(
        side.database,
      );
      return rows.length > 0;
    });
    await adding.query('commit');
    await adding.end();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await projector.stop();
    expect(side.parked).to.deep.equal([]);
    expect((await places(side.database)).get(id)).to.equal(month);
  });

  it('are few, without a gap, where positions are those of another log, far beyond the partitions there are', async () => {
    await sql`
      insert into checkpoint (name, position) values ('audit', 4000000000000000000)
      on conflict (name) do update set position = excluded.position`.execute(side.database);
    await sql`set statement_timeout = 20000`.execute(side.database);
    const added = async () => {
      const { rows } = await sql<{ added: number }>`
        select keep_view_partitions('audit_view', null) as added`.execute(side.database);
      return rows[0]?.added;
    };
    expect(await added()).to.be.within(1, 200);
    expect(await added()).to.equal(0);
    const { rows: bounds } = await sql<{ first: string | null; last: string | null }>`
      select substring(bound from 'FROM \\(''?(\\d+)') as first, last from (
        select pg_get_expr(relpartbound, oid) as bound from pg_class
        where oid in (select inhrelid from pg_inherits where inhparent = 'audit_view'::regclass)
      ) as b, lateral (select substring(bound from 'TO \\(''?(\\d+)') as last) as l
      where last is not null order by last::bigint`.execute(side.database);
    expect(bounds.slice(1).map(({ first }) => first)).to.deep.equal(
      bounds.slice(0, -1).map(({ last }) => last),
    );
    expect(bounds[0]?.first).to.equal(null);
  });

  it('are dropped when they are over and have few rows, which stay', async () => {
    await sql`select keep_view_partitions('session_view', now() - interval '200 days')`.execute(
      side.database,
    );
    const [many, few] = [idOf(100), idOf(160)];
    await project(many, few);
    await sql`insert into session_view select left(session_id, 15) || lpad(n::text, 21, '0'),
      relying_party_id, kind, flow, civil_id, document_number, status, end_result, refused_interaction,
      signature, signature_algorithm, certificate_serial, certificate_level, interaction_type_used,
      started_at, answer_before, readable_until, completed_at, revision
      from session_view, generate_series(1, 1000) as n where session_id = ${many}`.execute(
      side.database,
    );
    const before = (await places(side.database)).size;
    const upkeep = upkeepOf(side, () => undefined);
    const past = async () =>
      (await partitionsOf(side.database, 'session_view')).filter(
        (name) => /\d$/.test(name) && name < monthOf(idOf(62)),
      );
    await until(async () => (await past()).length === 1);
    await upkeep.stop();
    expect(upkeep.errors.filter((error) => !isInterrupted(error))).to.deep.equal([]);
    expect(await past()).to.deep.equal([monthOf(many)]);
    const found = await places(side.database);
    expect(found.size).to.equal(before);
    expect(found.get(few)).to.equal('session_view_other');
    expect(await createSessionViews(side.database).session(few)).to.include({ status: 'RUNNING' });
  });

  it('are left out by the inbox, pushes and the sweep, which finds what it missed in an hour', async () => {
    await sql`select keep_view_partitions('session_view', now() - interval '300 days')`.execute(
      side.database,
    );
    const long = idOf(200);
    await project(long, idOf(0), randomUUID());
    const all = await partitionsOf(side.database, 'session_view');
    /** Partitions that a query locked, which are those that its plan has. */
    const lookedIn = (query: (views: ReturnType<typeof createSessionViews>) => Promise<unknown>) =>
      side.database.transaction().execute(async (transaction) => {
        await query(createSessionViews(transaction));
        const { rows } = await sql<{ name: string }>`
          select relname as name from pg_locks join pg_class c on c.oid = relation
          where pid = pg_backend_pid() and c.relname = any(${all})`.execute(transaction);
        return rows.map(({ name }) => name).sort();
      });
    const now = new Date();
    const hot = all.filter((name) => !/\d$/.test(name) || name >= monthOf(idOf(1)));
    const citizen = { civilId: '100000000001', relyingPartyId: 'party' };
    expect(await lookedIn((found) => found.session(long))).to.deep.equal([monthOf(long)]);
    expect(await lookedIn((found) => found.runningSessionsOf(citizen.civilId, now))).to.deep.equal(
      hot,
    );
    expect(await lookedIn((found) => found.pushesTo(citizen, now, now))).to.deep.equal(hot);

    const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
    const found = createSessionViews(side.database);
    const due = async (at: Date) =>
      (await found.overdueSessions(at, 100, null)).map(({ sessionId }) => sessionId);
    expect(await due(later(10)))
      .to.include(long)
      .and.have.length(3);
    expect(await due(later(20))).not.to.include(long);
    expect(await due(later(20))).to.have.length(2);
    expect(await due(later(80))).to.include(long);
  });
});
