import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createViewUpkeep, type ViewUpkeepStep } from '../../infrastructure/postgres/viewUpkeep.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import type { Database } from '../../projections/database.ts';
import type { Projector } from '../../projections/engine/projector.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import {
  recordable,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { migrateUrl, migrateUrlTo } from '../support/events/eventLogs.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const views = { session_view: 'sessions', audit_view: 'audit' } as const;

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

function upkeepOf(side: ReadSide, onStep: (step: ViewUpkeepStep) => void, slice = 100) {
  const errors: unknown[] = [];
  const upkeep = createViewUpkeep({
    url: side.url,
    views: Object.keys(views),
    everyMs: 50,
    partition: (view, signal, on) =>
      withMaintenanceConnection<Database>(
        side.url,
        async (resources) => {
          await rebuildReadModel(views[view as keyof typeof views], {
            ...resources,
            eventStore: side.eventStore,
            vault: side.vault,
            fromRows: true,
            slice,
            signal,
            onProgress: ({ rows }) => {
              if (rows !== undefined) on.copied(rows);
            },
            onKept: on.waiting,
          });
        },
        signal,
      ),
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

describe('Sessions and audit of a release before, each in one table', () => {
  let side: ReadSide;

  beforeEach(async () => {
    const url = await freshDatabase();
    await migrateUrlTo(url, '045_archive');
    side = await openReadSide(url);
  });

  afterEach(() => side.close());

  /** Starts sessions, and confirms these and some of the ones there are, until it is stopped. */
  function startWriting(projector: Projector, there: readonly string[]) {
    let written = 0;
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) {
        const id = systemRandomness.timeOrderedUuid();
        await given(side, id);
        const open = there[3 * written + 1];
        for (const each of open === undefined ? [id] : [id, open]) {
          await side.eventStore.append(`session-${each}`, [recordable(sessionConfirmed())], 'any');
        }
        await projector.untilProjected((await side.eventStore.head()) ?? 0n);
        written += 1;
      }
    })();
    return {
      written: () => written,
      stop: () => {
        over.abort();
        return writing;
      },
    };
  }

  /** Stops the upkeep after its first steps, four times. @returns how often it was started */
  async function partitionInterrupted(): Promise<number> {
    const steps: ViewUpkeepStep[] = [];
    const isDone = () => steps.filter(({ step }) => step === 'partitioned').length === 2;
    let starts = 0;
    for (; !isDone(); starts += 1) {
      const enough = steps.length + (starts < 4 ? 1 : 20);
      const upkeep = upkeepOf(side, (step) => steps.push(step), 40);
      await until(() => steps.length >= enough || isDone());
      await upkeep.stop();
      expect(upkeep.errors.filter((error) => !isInterrupted(error))).to.deep.equal([]);
    }
    return starts;
  }

  /** Rows and counters are those that rebuilds arrive at. */
  async function expectAsRebuilt(projector: Projector) {
    const head = (await side.eventStore.head()) ?? 0n;
    await until(async () => {
      const { rows } = await sql<{ position: bigint }>`
        select min(position) as position from checkpoint`.execute(side.database);
      return rows[0]?.position === head;
    });
    await projector.stop();
    const contents = await side.contents();
    const pool = createPool({ url: side.url });
    for (const name of Object.values(views)) {
      await rebuildReadModel(name, { ...side, bulkWriter: createCopyWriter({ pool }) });
    }
    await pool.end();
    for (const [table, rows] of Object.entries(await side.contents())) {
      expect(rows, table).to.deep.equal(contents[table]);
    }
  }

  it('are counted once though the projector is behind meanwhile', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    for (const id of ids) await given(side, id);
    const former = side.projector();
    former.start();
    await former.untilProjected((await side.eventStore.head()) ?? 0n);
    await former.stop();
    await migrateUrl(side.url);
    for (const id of ids) {
      await side.eventStore.append(`session-${id}`, [recordable(sessionConfirmed())], 'any');
    }
    let partitioned = 0;
    const upkeep = upkeepOf(side, ({ step }) => (partitioned += step === 'partitioned' ? 1 : 0));
    await until(() => partitioned === 2);
    await upkeep.stop();
    const projector = side.projector();
    projector.start();
    await expectAsRebuilt(projector);
  });

  it('are partitioned while the projector goes on, whenever it is interrupted', async function () {
    this.timeout(60_000);
    const projector = side.projector();
    projector.start();
    const random: string[] = [];
    const ordered: string[] = [];
    for (let index = 0; index < 300; index += 1) {
      const id = index % 2 === 0 ? randomUUID() : idOf((index * 7) % 60);
      (index % 2 === 0 ? random : ordered).push(id);
      await given(side, id, ...(index % 3 === 0 ? [sessionExpired()] : []));
    }
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await migrateUrl(side.url);
    expect(await partitionsOf(side.database, 'session_view')).to.deep.equal([]);

    const writing = startWriting(projector, [...random, ...ordered]);
    const starts = await partitionInterrupted();
    const during = writing.written();
    await until(() => writing.written() > during + 3);
    await writing.stop();
    expect(starts).to.be.greaterThan(1);
    expect(side.failures).to.deep.equal([]);
    expect(side.parked).to.deep.equal([]);

    const found = await places(side.database);
    const daysOfMonth = new Date().getUTCDate();
    const months = new Set([monthOf(idOf(0)), monthOf(idOf(daysOfMonth))]);
    for (const id of ordered) {
      // Of months before the last there are few.
      const month = months.has(monthOf(id)) ? monthOf(id) : 'session_view_other';
      expect(found.get(id)).to.equal(month);
    }
    for (const id of random) expect(months).not.to.include(found.get(id));
    expect(found.size).to.equal(300 + writing.written());
    await expectAsRebuilt(projector);
    expect(await partitionsOf(side.database, 'session_view')).to.have.length(5);
  });

  it('wait for a transaction that keeps them, and keep nobody else waiting', async () => {
    for (let index = 0; index < 20; index += 1) await given(side, randomUUID());
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await projector.stop();
    await migrateUrl(side.url);
    const connected = async () => {
      const client = new pg.Client({ connectionString: side.url });
      await client.connect();
      return client;
    };
    const [backup, reader] = [await connected(), await connected()];
    await backup.query('begin; select from session_view');
    await until(async () => {
      const kept = await reader.query<{ kept: boolean }>(
        `select is_kept_for_long('session_view') as kept`,
      );
      return kept.rows[0]?.kept === true;
    });
    const steps: ViewUpkeepStep['step'][] = [];
    const start = () => upkeepOf(side, ({ step }) => steps.push(step));
    const first = start();
    await until(() => steps.includes('waiting'));
    await reader.query(`set lock_timeout = '100ms'`);
    // Time of two attempts at a swap.
    const enough = performance.now() + 3000;
    await until(async () => {
      await reader.query('select from session_view');
      return performance.now() > enough;
    });
    await first.stop();
    expect(steps).not.to.include('partitioned');
    const second = start();
    await until(() => steps.filter((step) => step === 'waiting').length === 2);
    await backup.query('commit');
    await until(() => steps.filter((step) => step === 'partitioned').length === 2);
    await second.stop();
    await Promise.all([backup.end(), reader.end()]);
  });

  it('are partitioned by a rebuild, too', async () => {
    await given(side, idOf(0));
    await migrateUrl(side.url);
    const pool = createPool({ url: side.url });
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await projector.stop();
    await rebuildReadModel('sessions', { ...side, bulkWriter: createCopyWriter({ pool }) });
    await pool.end();
    expect([...(await places(side.database)).values()]).to.deep.equal([monthOf(idOf(0))]);
  });

  it('stop being rebuilt although the log is silent', async () => {
    await given(side, randomUUID());
    await migrateUrl(side.url);
    await sql`insert into checkpoint (name, position) values ('sessions', null), ('audit', null)
      on conflict (name) do update set position = null`.execute(side.database);
    const stopping = new AbortController();
    const silent = {
      ...side.eventStore,
      subscribe: () => {
        setImmediate(() => stopping.abort());
        return { stop: () => Promise.resolve() };
      },
    };
    const pool = createPool({ url: side.url });
    const bulkWriter = createCopyWriter({ pool });
    const { signal } = stopping;
    const rebuilding = rebuildReadModel('sessions', {
      ...side,
      eventStore: silent,
      bulkWriter,
      signal,
    });
    expect(await rejection(rebuilding)).to.have.property('name', 'AbortError');
    await pool.end();
  });

  it('are copied once when a statement of the interrupted copy commits later', async () => {
    for (let index = 0; index < 60; index += 1) await given(side, randomUUID());
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await migrateUrl(side.url);
    let copied = false;
    const first = upkeepOf(side, ({ step }) => (copied ||= step === 'copied'), 10);
    await until(() => copied);
    await first.stop();
    const late = new pg.Client({ connectionString: side.url });
    await late.connect();
    const table = 'session_view_rebuild';
    await late.query(
      `begin; insert into ${table} select * from session_view
       where session_id > (select max(session_id) from ${table}) order by session_id limit 10`,
    );
    let partitioned = 0;
    const second = upkeepOf(side, ({ step }) => (partitioned += step === 'partitioned' ? 1 : 0));
    await until(async () => {
      const { rowCount } = await late.query(
        `select from pg_locks where relation = $1::regclass and not granted`,
        [table],
      );
      return rowCount === 1;
    });
    await late.query('commit');
    await late.end();
    await until(() => partitioned === 2 || second.errors.length > 0);
    await second.stop();
    expect(second.errors).to.deep.equal([]);
    await expectAsRebuilt(projector);
    expect((await places(side.database)).size).to.equal(60);
  });

  it('begin anew when the archive took rows out between', async () => {
    for (let index = 0; index < 60; index += 1) await given(side, randomUUID(), sessionExpired());
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await migrateUrl(side.url);
    const archived = (name: string) =>
      sql`insert into archive_entry
        values (${name}, 1, 2, 1, 1, 1, '', '', '', '', '', now(), null, true)`.execute(
        side.database,
      );
    await archived('restored');
    let stop: () => void = () => undefined;
    const first = upkeepOf(side, ({ step }) => step === 'copied' && stop(), 10);
    await new Promise<void>((resolve) => {
      stop = resolve;
    });
    await first.stop();
    await sql`delete from session_view where session_id < '8'`.execute(side.database);
    await sql`delete from archive_entry`.execute(side.database);
    await archived('another');
    const steps: ViewUpkeepStep['step'][] = [];
    const second = upkeepOf(side, ({ step }) => steps.push(step));
    await until(() => steps.filter((step) => step === 'partitioned').length === 2);
    await second.stop();
    const ids = [...(await places(side.database)).keys()];
    expect(ids.filter((id) => id < '8')).to.deep.equal([]);
  });
});

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
