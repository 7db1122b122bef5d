import { expect } from 'chai';
import { sql } from 'kysely';
import type pg from 'pg';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import type { BulkWriter } from '../../application/ports/bulkWriter.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createCitizenTraces } from '../../projections/citizens.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { readModels } from '../../projections/readModels.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import {
  bat,
  citizenEnrolled,
  recordable,
  relyingPartyRegistered,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { createReferenceData } from '../../projections/referenceData.ts';

describe('Rebuilding a read model', () => {
  let side: ReadSide;
  let pool: pg.Pool;

  beforeEach(async () => {
    side = await openReadSide();
    pool = createPool({ url: side.url });
  });

  afterEach(async () => {
    await side.close();
    await pool.end();
  });

  async function given(stream: string, ...events: DomainEvent[]): Promise<bigint> {
    const { position } = await side.eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
    return position;
  }

  const rebuild = (name: string, onProgress: () => void = () => undefined) =>
    rebuildReadModel(name, { ...side, bulkWriter: createCopyWriter({ pool }), onProgress });

  async function givenSessions(from: number, to: number) {
    for (let index = from; index < to; index += 1) {
      await given(`session-s${index}`, sessionStarted(`s${index}`));
      if (index % 3 === 0) await given(`session-s${index}`, sessionConfirmed());
      if (index % 3 === 1) await given(`session-s${index}`, sessionExpired());
    }
  }

  const indexNames = async () => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes join pg_class on oid = format('%I', tablename)::regclass
      where schemaname = 'public' and tablename like '%view%' and not relispartition
      order by indexname
    `.execute(side.database);
    return rows.map(({ indexdef }) => indexdef);
  };

  const tableSettings = async () => {
    const { rows } = await sql<{ table: string; settings: string[] }>`
      select relname as table, reloptions as settings from pg_class
      where relname like '%view%' and relkind = 'r' and reloptions is not null order by relname
    `.execute(side.database);
    return rows;
  };

  it('arrives at what the projector arrived at, with the same indexes and settings, again and again', async () => {
    await givenSessions(0, 30);
    await given('relyingParty-r1', relyingPartyRegistered('r1', { name: 'tab\t line\n \\N \\' }));
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    const before = await side.contents();
    const indexes = await indexNames();
    const settings = await tableSettings();
    expect(settings.map(({ table }) => table)).to.include('session_view_other');
    const parts = await partitions();
    expect(parts.length).to.equal(4);

    for (const { name } of readModels) {
      await rebuild(name);
      await rebuild(name);
    }

    expect(await side.contents()).to.deep.equal(before);
    expect(await indexNames()).to.deep.equal(indexes);
    expect(await tableSettings()).to.deep.equal(settings);
    expect(await partitions()).to.deep.equal(parts);
  });

  const partitions = async () => {
    const { rows } = await sql<{ partition: string; bounds: string; indexes: number }>`
      select relname as partition, pg_get_expr(relpartbound, oid) as bounds,
        (select count(*)::int from pg_index where indrelid = pg_class.oid) as indexes
      from pg_class where relispartition and relkind = 'r' and relname like 'session_view%' order by relname
    `.execute(side.database);
    return rows;
  };

  it('holds no snapshot between two batches of what it copies', async () => {
    await givenSessions(0, 30);
    let batches = 0;
    const bulkWriter = createCopyWriter({ pool });
    const eventStore = {
      ...side.eventStore,
      subscribe: (options: Parameters<EventStore['subscribe']>[0]) =>
        side.eventStore.subscribe({
          ...options,
          maxBatch: 7,
          onBatch: async (events, position) => {
            // The batch before is committed, though this one has not been taken.
            await until(async () =>
              (await sessionsOf()).every(({ state, xmin }) => state === 'idle' && xmin === null),
            );
            batches += 1;
            await options.onBatch(events, position);
          },
        }),
    };
    for (const name of ['sessions', 'audit']) {
      await rebuildReadModel(name, { ...side, eventStore, bulkWriter });
    }
    expect(batches).to.be.greaterThan(10);
  });

  /** The sessions that copy. */
  async function sessionsOf() {
    const { rows } = await sql<{ xmin: string | null; state: string }>`
      select backend_xmin::text as xmin, state from pg_stat_activity
      where datname = current_database() and query like 'copy %'`.execute(side.database);
    return rows;
  }

  it('writes what is final, like the audit, before there are indexes to keep', async () => {
    await givenSessions(0, 30);
    const written: string[] = [];
    const copyWriter = createCopyWriter({ pool });
    const bulkWriter: BulkWriter = {
      open: async (table, columns) => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from pg_indexes where tablename = ${table}`.execute(
          side.database,
        );
        if (rows[0]?.count === 0) written.push(table);
        return copyWriter.open(table, columns);
      },
    };
    await rebuildReadModel('audit', { ...side, bulkWriter });
    expect(new Set(written)).to.deep.equal(new Set(['audit_view_rebuild']));
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from audit_view`.execute(side.database);
    expect(rows[0]?.count).to.equal(side.eventStore.events.length);
  });

  it('repairs rows that are wrong, missing or too many', async () => {
    await givenSessions(0, 9);
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    const right = await side.contents();
    await sql`update session_view set status = 'RUNNING', revision = 99 where session_id = 's0'`.execute(
      side.database,
    );
    await sql`delete from session_view where session_id = 's1'`.execute(side.database);
    await sql`insert into session_view select 'made-up', relying_party_id, kind, flow, civil_id,
      document_number, status, end_result, refused_interaction, signature, signature_algorithm,
      certificate_serial, certificate_level, interaction_type_used, started_at, answer_before,
      readable_until, completed_at, revision from session_view where session_id = 's2'`.execute(
      side.database,
    );

    await rebuild('sessions');
    expect(await side.contents()).to.deep.equal(right);
  });

  it('serves, and projects events appended meanwhile', async () => {
    await givenSessions(0, 300);
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    const views = createSessionViews(side.database);
    let written = 300;
    let missing = 0;
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) {
        await givenSessions(written, written + 3);
        written += 3;
        await projector.untilProjected((await side.eventStore.head()) ?? 0n);
        for (const id of ['s0', `s${written - 1}`]) {
          if ((await views.session(id)) === null) missing += 1;
        }
      }
    })();

    for (let round = 0; round < 5; round += 1) await rebuild('sessions');
    over.abort();
    await writing;

    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    expect(missing).to.equal(0);
    const live = (await side.contents())['session_view'];
    expect(live).to.have.length(written);
    expect(side.failures).to.deep.equal([]);
    await projector.stop();
    await rebuild('sessions');
    expect((await side.contents())['session_view']).to.deep.equal(live);
  });

  it('leaves a table whose first pages are counted without reading its rows', async () => {
    await givenSessions(0, 30);
    await rebuild('sessions');
    const { rows } = await sql<{ pages: number; seen: number }>`
      select sum(relpages)::int as pages, sum(relallvisible)::int as seen from pg_class
      where relkind = 'r' and relname like 'session_view%'
    `.execute(side.database);
    expect(rows[0]?.pages).to.be.above(0);
    expect(rows[0]?.seen).to.equal(rows[0]?.pages);
  });

  it('shows after the swap whatever was shown just before it', async () => {
    await givenSessions(0, 3);
    const projector = side.projector();
    projector.start();
    let asked = 0;
    const eventStore = {
      ...side.eventStore,
      async head() {
        const head = await side.eventStore.head();
        asked += 1;
        if (asked === 2) {
          await projector.untilProjected(await given('session-new', sessionStarted('new')));
        }
        return head;
      },
    };

    const bulkWriter = createCopyWriter({ pool });
    await rebuildReadModel('sessions', { ...side, eventStore, bulkWriter });

    expect(asked).to.equal(2);
    expect(await createSessionViews(side.database).session('new')).to.include({
      status: 'RUNNING',
    });
  });

  it('sets a projection going again that had stopped at too many events, which were repaired', async () => {
    await givenSessions(0, 3);
    const bad = Array.from({ length: 101 }, (_, index) => `bad${index}`);
    const first = side.eventStore.events.length;
    for (const id of bad) await given(`session-${id}`, sessionStarted(id, { startedAt: 'never' }));
    await givenSessions(3, 6);
    const projector = side.projector();
    projector.start();
    const sessions = () => projector.status().find(({ name }) => name === 'sessions');
    await eventually(() => expect(sessions()?.state).to.equal('FAILED'));
    expect(side.parked).to.have.length(100);

    const failure = await rebuild('sessions').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(sessions()?.state).to.equal('FAILED');

    for (const [index, id] of bad.entries()) {
      const stored = side.eventStore.events[first + index];
      if (stored === undefined) continue;
      side.eventStore.events[first + index] = { ...stored, event: sessionStarted(id) };
    }
    await rebuild('sessions');
    await eventually(() => expect(sessions()?.state).to.equal('RUNNING'));
    await projector.untilProjected(await given('session-s7', sessionStarted('s7')));
    expect((await side.contents())['session_view']).to.have.length(7 + bad.length);
  });

  it('waits for as long as its table is kept where nobody waits for it, and reads the log once', async () => {
    await givenSessions(0, 3);
    const backup = await pool.connect();
    await backup.query('begin; select from session_view');
    const over = new AbortController();
    let tries = 0;
    const eventStore = {
      ...side.eventStore,
      head() {
        tries += 1;
        return side.eventStore.head();
      },
    };
    const rebuilding = rebuildReadModel('sessions', {
      ...side,
      eventStore,
      bulkWriter: createCopyWriter({ pool }),
      signal: over.signal,
      swapPauseMs: 1,
    });
    await Promise.race([rebuilding, until(() => Promise.resolve(tries > 100))]);
    await backup.query('rollback');
    backup.release();
    expect(await rebuilding).to.include({ events: side.eventStore.events.length });
  });

  it('ends at once when it is to, whatever it waits for, and leaves the present table', async () => {
    await givenSessions(0, 3);
    const other = await pool.connect();
    const over = new AbortController();
    const eventStore = {
      ...side.eventStore,
      async head() {
        await other.query('begin; lock table session_view_rebuild in share update exclusive mode');
        return side.eventStore.head();
      },
    };
    const bulkWriter = createCopyWriter({ pool });
    const rebuilding = rebuildReadModel('sessions', {
      ...side,
      eventStore,
      bulkWriter,
      signal: over.signal,
    });
    const waiting = sql<{ count: number }>`select count(*)::int as count from pg_locks
      where not granted and relation = 'session_view_rebuild'::regclass`;
    await until(async () => {
      const { rows } = await waiting.execute(side.database).catch(() => ({ rows: [] }));
      return rows[0]?.count === 1;
    });
    over.abort();
    expect(await rejection(rebuilding)).to.be.instanceOf(Error);
    await other.query('rollback');
    other.release();
    await rebuild('sessions');
  });

  it('is refused while the same read model is being rebuilt, and for one there is none of', async () => {
    await givenSessions(0, 3);
    const both = await Promise.allSettled([rebuild('sessions'), rebuild('sessions')]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const failure = await rebuild('nothing').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).with.property('message').that.includes('sessions');
  });

  it('leaves no trace of a forgotten person', async () => {
    const civilId = '100000000001';
    await given(`citizen-${civilId}`, citizenEnrolled(civilId));
    const projector = side.projector();
    projector.start();
    await projector.untilProjected(1n);
    const referenceData = createReferenceData(side.database, side.vault);
    expect((await referenceData.citizen({ type: 'civilId', civilId }))?.identity).to.deep.equal(
      bat,
    );

    await side.vault.forget(civilId);
    await createCitizenTraces(side.database).forget(civilId);
    expect(await referenceData.citizen({ type: 'civilId', civilId })).to.equal(null);
    const forgotten = { civil_id: civilId, identity: null, registration_index: null };
    const unfindable = { civil_id: civilId, name_index: null };
    expect((await side.contents())['citizen_view']?.[0]).to.include(forgotten);
    expect((await side.contents())['citizen_search']?.[0]).to.include(unfindable);
    await rebuild('citizens');
    await rebuild('citizenSearch');
    expect((await side.contents())['citizen_view']?.[0]).to.include(forgotten);
    expect((await side.contents())['citizen_search']?.[0]).to.include(unfindable);
  });
});
