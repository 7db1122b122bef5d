import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'kysely';
import { readModels } from '../../projections/readModels.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { type Projector, projectionLock } from '../../projections/engine/projector.ts';
import { createParkedRows } from '../../projections/parkedRows.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  bat,
  certificateChosen,
  certificateIssued,
  certificateRequested,
  citizenEnrolled,
  deviceEnrolled,
  recordable,
  relyingPartyRegistered,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
  exampleCertificate,
} from '../support/events/exampleEvents.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { Unavailable, UndecodableEvent } from '../../application/ports/faults.ts';
import { relyingPartiesReadModel } from '../../projections/models/relyingParties.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { sessionsReadModel } from '../../projections/models/sessions.ts';

describe('The projector', () => {
  let side: ReadSide;

  beforeEach(async () => {
    side = await openReadSide();
  });

  afterEach(() => side.close());

  async function given(stream: string, ...events: DomainEvent[]): Promise<bigint> {
    const { position } = await side.eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
    return position;
  }

  async function givenOneOfEach(): Promise<bigint> {
    await given('session-s1', sessionStarted('s1'), sessionConfirmed());
    await given('session-s2', sessionStarted('s2'), sessionExpired());
    await given('session-s3', sessionStarted('s3', { civilId: null, flow: 'DEVICE_LINK' }));
    await given(
      'session-s4',
      sessionStarted('s4', { kind: 'CERTIFICATE_CHOICE', civilId: null, flow: 'DEVICE_LINK' }),
      certificateChosen(),
    );
    await given(
      'relyingParty-r1',
      relyingPartyRegistered('r1'),
      { type: 'SubsystemSeen', data: { relyingPartyId: 'r1', subsystem: 'web', seenAt: 'x' } },
      { type: 'SecretRotated', data: { relyingPartyId: 'r1', secretHash: 'ff', rotatedAt: 'x' } },
    );
    await given('citizen-100000000001', citizenEnrolled('100000000001'));
    await given('certificate-0a', certificateRequested('0a'), certificateIssued('0a'));
    await given('certificate-0b', certificateRequested('0b', { type: 'AUTH' }));
    return given('device-d1', deviceEnrolled('d1'));
  }

  it('shows in every read model what the log says, and can be waited for', async () => {
    const position = await givenOneOfEach();
    const projector = side.projector();
    projector.start();
    await projector.untilProjected(position);

    const contents = await side.contents();
    const statuses = (contents['session_view'] as { status: string; end_result: string }[]).map(
      (row) => `${row.status} ${row.end_result}`,
    );
    expect(statuses).to.deep.equal([
      ...['COMPLETE OK', 'COMPLETE TIMEOUT', 'RUNNING null', 'COMPLETE OK'],
    ]);
    const { documentNumber, civilId, certificateSerial } = certificateChosen().data;
    expect(contents['session_view']?.[3]).to.include({
      kind: 'CERTIFICATE_CHOICE',
      civil_id: civilId,
      document_number: documentNumber,
      certificate_serial: certificateSerial,
      signature: null,
    });
    expect(contents['relying_party_view']).to.have.length(1);
    expect((contents['relying_party_view'] ?? [])[0]).to.include({
      secret_hash: 'ff',
      revision: 2n,
    });
    expect((contents['relying_party_view'] ?? [])[0])
      .to.have.property('callback_hosts')
      .that.deep.equals(['rp.example.com', 'b"c\\d,e']);
    expect((contents['certificate_view'] ?? []).length).to.equal(2);
    expect((contents['device_view'] ?? [])[0]).to.include({ document_number: 'd1', active: true });
  });

  it('stores personal data sealed only', async () => {
    const position = await givenOneOfEach();
    const projector = side.projector();
    projector.start();
    await projector.untilProjected(position);

    const stored = JSON.stringify(await side.contents(), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const personal of [bat.givenName, bat.surnameLatin, bat.registrationNumber, bat.birthDate])
      expect(stored).not.to.include(personal);
    expect(stored).not.to.include(exampleCertificate);
  });

  it('changes nothing when the whole log is projected again', async () => {
    const position = await givenOneOfEach();
    const first = side.projector();
    first.start();
    await first.untilProjected(position);
    const before = await side.contents();
    await first.stop();

    await side.database.updateTable('checkpoint').set({ position: null }).execute();
    const second = side.projector();
    second.start();
    await second.untilProjected(position);

    expect(await side.contents()).to.deep.equal(before);
  });

  it('reaches the same rows whatever the sizes of the batches', async () => {
    const projector = side.projector();
    projector.start();
    const ids = Array.from({ length: 60 }, () => randomUUID());
    await Promise.all(
      ids.map(async (id, index) => {
        await given(`session-${id}`, sessionStarted(id));
        if (index % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
        await given(`session-${id}`, index % 2 === 0 ? sessionConfirmed() : sessionExpired());
      }),
    );
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    const live = await side.contents();
    await projector.stop();

    await sql`truncate session_view`.execute(side.database);
    await side.database.updateTable('checkpoint').set({ position: null }).execute();
    const again = side.projector();
    again.start();
    await again.untilProjected((await side.eventStore.head()) ?? 0n);

    expect(live['session_view']).to.have.length(60);
    expect(await side.contents()).to.deep.equal(live);
  });

  it('notifies the poll of a completed session and the inbox of a citizen once the row can be read', async () => {
    const notifications = createNotificationHub();
    const projector = side.projector({ notifications });
    projector.start();
    const views = createSessionViews(side.database);

    const inbox = notifications.listen('inbox:100000000001');
    await given('session-s1', sessionStarted('s1'));
    await inbox.changed;
    expect(await views.runningSessionsOf('100000000001', new Date())).to.deep.equal(['s1']);

    const poll = notifications.listen('session:s1');
    await given('session-s1', sessionConfirmed());
    await poll.changed;
    expect(await views.session('s1')).to.include({ status: 'COMPLETE', endResult: 'OK' });
    expect(await views.runningSessionsOf('100000000001', new Date())).to.deep.equal([]);

    const phones = notifications.listen('inbox:100000000001');
    await given('session-s2', sessionStarted('s2'));
    await phones.changed;
    const shown = notifications.listen('inbox:100000000001');
    await given('session-s2', sampleEvents.SessionCancelled);
    await shown.changed;
    expect(await views.runningSessionsOf('100000000001', new Date())).to.deep.equal([]);
  });

  it('is waited for by what a caller reads alone, while another read model is stopped', async () => {
    await sql`alter table session_view rename to away`.execute(side.database);
    const projector = side.projector();
    projector.start();
    await given('session-s1', sessionStarted('s1'));
    const position = await given('relyingParty-r1', relyingPartyRegistered('r1'));
    await projector.progressOf([relyingPartiesReadModel]).untilProjected(position);
    expect((await side.contents(relyingPartiesReadModel))['relying_party_view']).to.have.length(1);
    const late = projector.progressOf([sessionsReadModel]).untilProjected(position, 100);
    expect(await rejection(late)).to.be.instanceOf(Unavailable);
  });

  /** 120 sessions that a newer release started, and the same events as that one reads them. */
  async function givenNewer() {
    const streams = Array.from({ length: 120 }, (_, number) => `session-n${number}`);
    for (const stream of streams) await given(stream, sessionStarted(stream.slice(8)));
    const { events } = side.eventStore;
    const written = [...events];
    for (const [index, event] of events.entries()) {
      const undecodable = new UndecodableEvent({ ...event, type: event.event.type }, null, true);
      events[index] = { ...event, undecodable };
    }
    return { events, written };
  }

  it('does not count what waits for a newer release among what fails', async () => {
    await givenNewer();
    for (const id of ['s1', 's2']) {
      const projector = side.projector({ models: [sessionsReadModel] });
      projector.start();
      await projector.untilProjected((await side.eventStore.head()) ?? 0n);
      await given(`session-${id}`, sessionStarted(id, { startedAt: 'never' }));
      await eventually(() => expect(side.parked.length + side.failures.length).to.be.above(0));
      expect(side.failures).to.deep.equal([]);
      side.parked.length = 0;
      await projector.stop();
    }
  });

  it('O8: passes over events of a newer release, however many, and tells it once', async () => {
    const { events, written } = await givenNewer();
    const position = await given('session-s1', sessionStarted('s1'));
    const projector = side.projector({ models: [sessionsReadModel] });
    projector.start();
    await projector.untilProjected(position);

    expect(side.newer).to.deep.equal(['sessions']);
    expect([side.parked, side.failures]).to.deep.equal([[], []]);
    expect((await createParkedRows(side.database).counts()).get('sessions')).to.equal(120);
    await projector.stop();

    for (const [index, event] of written.entries()) events[index] = event;
    const upgraded = side.projector({ models: [sessionsReadModel] });
    upgraded.start();
    await eventually(async () => expect(await createParkedRows(side.database).list()).to.be.empty);
    const rows = await side.database.selectFrom('session_view').selectAll().execute();
    expect(rows).to.have.length(121);
  });

  describe('an event it cannot project', () => {
    const shown = async () =>
      ((await side.contents())['session_view'] as { session_id: string; status: string }[]).map(
        ({ session_id: id, status }) => `${id} ${status}`,
      );

    /** A session whose first event cannot be projected until `mend`, and one behind it. */
    async function givenPoison() {
      const events = [sessionStarted('s2', { startedAt: 'never' }), sessionConfirmed()];
      await given('session-s2', ...events);
      const culprit = side.eventStore.events.find(({ stream }) => stream === 'session-s2');
      if (culprit === undefined) throw new Error('The event is missing.');
      return {
        eventId: culprit.id,
        mend: () => {
          const { position, event } = culprit;
          const { data } = sessionStarted('s2');
          const mended = { ...culprit, event: { ...event, data } };
          side.eventStore.events[Number(position) - 1] = mended;
        },
      };
    }

    it('parks its row with later events, names it, and projects the other rows', async () => {
      const projector = side.projector({ models: [sessionsReadModel] });
      projector.start();
      await given('session-s1', sessionStarted('s1'));
      const { eventId } = await givenPoison();
      await given('session-s3', sessionStarted('s3'));
      await projector.untilProjected(4n);
      await given('session-s2', sessionExpired());
      const position = await given('session-s1', sessionConfirmed());
      await projector.untilProjected(position);

      expect(await shown()).to.deep.equal(['s1 COMPLETE', 's3 RUNNING']);
      expect(projector.status()[0]).to.include({ state: 'RUNNING', position });
      expect(side.parked).to.deep.equal([{ name: 'sessions', eventId }]);
      const parked = createParkedRows(side.database);
      const [row, ...others] = await parked.list();
      expect(others).to.deep.equal([]);
      expect(row).to.deep.include({
        readModel: 'sessions',
        key: 's2',
        stream: 'session-s2',
        eventId,
        error: 'error 22007',
        events: 3,
        attempts: 1,
      });
      expect(await parked.counts()).to.deep.equal(new Map([['sessions', 1]]));
    });

    it('is folded with what follows, in order, when it is retried', async () => {
      const projector = side.projector({ models: [sessionsReadModel] });
      projector.start();
      const { mend } = await givenPoison();
      await projector.untilProjected(2n);
      const parked = createParkedRows(side.database);
      expect(await parked.retry()).to.equal(1);
      await eventually(async () => expect((await parked.list())[0]?.attempts).to.equal(2));
      expect(await shown()).to.deep.equal([]);

      mend();
      await parked.retry({ readModel: 'sessions', key: 's2' });
      await eventually(async () => expect(await parked.list()).to.deep.equal([]));
      expect(await shown()).to.deep.equal(['s2 COMPLETE']);
      const position = await given('session-s1', sessionStarted('s1'));
      await projector.untilProjected(position);
      expect(await shown()).to.deep.equal(['s1 RUNNING', 's2 COMPLETE']);
    });

    it('is tried again by the process that takes over', async () => {
      const first = side.projector({ models: [sessionsReadModel] });
      first.start();
      const { mend } = await givenPoison();
      await first.untilProjected(2n);
      await first.stop();
      mend();
      side.projector({ models: [sessionsReadModel] }).start();
      await eventually(async () => expect(await shown()).to.deep.equal(['s2 COMPLETE']));
    });

    it('is left out for good once it is skipped, by rebuilds too', async () => {
      const projector = side.projector({ models: [sessionsReadModel] });
      projector.start();
      const poison = { ...sessionExpired(), data: { completedAt: 'never' } };
      await given('session-s1', sessionStarted('s1'), poison, sessionConfirmed());
      await projector.untilProjected(3n);
      const parked = createParkedRows(side.database);
      const [row] = await parked.list();
      const target = { readModel: 'sessions', eventId: row?.eventId ?? '' };
      expect(await parked.skip({ ...target, eventId: 'another' })).to.equal(false);
      expect(await parked.skip(target)).to.equal(true);
      await eventually(async () => expect(await parked.list()).to.deep.equal([]));
      expect(await shown()).to.deep.equal(['s1 COMPLETE']);
      await rebuildSessions();
      expect(await shown()).to.deep.equal(['s1 COMPLETE']);
    });

    it('is left to be retried by a rebuild, with what follows', async () => {
      const projector = side.projector({ models: [sessionsReadModel] });
      projector.start();
      const { mend } = await givenPoison();
      await given('session-s1', sessionStarted('s1'));
      await projector.untilProjected(3n);
      await rebuildSessions();
      expect(await shown()).to.deep.equal(['s1 RUNNING']);
      mend();
      await createParkedRows(side.database).retry({ readModel: 'sessions' });
      await eventually(async () =>
        expect(await shown()).to.deep.equal(['s1 RUNNING', 's2 COMPLETE']),
      );
    });

    async function rebuildSessions() {
      const pool = createPool({ url: side.url });
      await rebuildReadModel('sessions', { ...side, bulkWriter: createCopyWriter({ pool }) });
      await pool.end();
    }
  });

  for (const [code, what] of [
    ['57014', 'cancelled'],
    ['XX000', 'ended by an internal error of the database'],
  ] as const) {
    it(`goes on by itself after a statement was ${what} (SQLSTATE ${code})`, async () => {
      await failingWrites(code, 3);
      const projector = side.projector({ models: [sessionsReadModel] });
      projector.start();
      const position = await given('session-s1', sessionStarted('s1'));
      await projector.untilProjected(position);
      expect(side.failures).to.deep.equal([]);
      expect((await side.contents())['session_view']).to.have.length(1);
    });
  }

  /** The first writes to `session_view` fail. */
  async function failingWrites(code: string, count: number) {
    await sql`create sequence failed_writes`.execute(side.database);
    await sql
      .raw(
        `create function fail() returns trigger language plpgsql as $$ begin
          if nextval('failed_writes') <= ${count} then
            raise exception 'failed' using errcode = '${code}';
          end if;
          return new;
        end $$`,
      )
      .execute(side.database);
    await sql`create trigger fail before insert on session_view for each row execute function fail()`.execute(
      side.database,
    );
  }

  it('is shared out among processes, and what a killed connection leaves is taken over', async () => {
    const first = side.projector();
    first.start();
    const running = (projector: Projector) =>
      projector.status().filter(({ state }) => state === 'RUNNING').length;
    await eventually(() => expect(running(first)).to.equal(readModels.length));
    const second = side.projector();
    second.start();
    await eventually(() => {
      expect(running(second)).to.equal(Math.floor(readModels.length / 2));
      expect(running(first)).to.equal(Math.ceil(readModels.length / 2));
    });
    await first.untilProjected(await given('session-s1', sessionStarted('s1')));

    const { rows } = await sql<{ killed: number }>`
      select count(pg_terminate_backend(pid))::int as killed from pg_locks
      where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(${projectionLock('sessions')}, 0)
    `.execute(side.database);
    expect(rows[0]?.killed).to.equal(1);

    const position = await given('session-s2', sessionStarted('s2'));
    await second.untilProjected(position);
    expect((await side.contents())['session_view']).to.have.length(2);
    await first.stop();
    await eventually(() => expect(running(second)).to.equal(readModels.length));
  });

  it('is left to a service that runs, by a command beside it, and kept by it while none does', async () => {
    const running = (projector: Projector) =>
      projector.status().filter(({ state }) => state === 'RUNNING').length;
    const service = side.projector();
    service.start();
    await eventually(() => expect(running(service)).to.equal(readModels.length));
    const command = side.projector();
    command.start('command');
    await command.untilProjected(await given('session-s1', sessionStarted('s1')));
    expect([running(service), running(command)]).to.deep.equal([readModels.length, 0]);
    await service.stop();
    await eventually(() => expect(running(command)).to.equal(readModels.length));
  });

  it('writes nothing when another process moved the checkpoint meanwhile', async () => {
    const projector = side.projector({ models: [sessionsReadModel] });
    projector.start();
    await given('session-s1', sessionStarted('s1'));
    await projector.untilProjected(1n);

    // Another process, which this one knows nothing of, projected what is still to come.
    await given('relyingParty-r1', relyingPartyRegistered('r1'));
    await sql`update checkpoint set position = 3 where name = 'sessions'`.execute(side.database);
    await given('session-s2', sessionStarted('s2'));
    const position = await given('session-s3', sessionStarted('s3'));
    await projector.untilProjected(position);

    const shown = (await side.contents())['session_view'] as { session_id: string }[];
    expect(shown.map((row) => row.session_id)).to.deep.equal(['s1', 's3']);
    expect(side.failures).to.deep.equal([]);
  });

  it('goes on by itself after its database connections were cut', async () => {
    const projector = side.projector();
    projector.start();
    await given('session-s1', sessionStarted('s1'));
    await projector.untilProjected(1n);

    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
    `.execute(side.database);
    const position = await given('session-s1', sessionConfirmed());
    await eventually(() => projector.untilProjected(position, 1000));

    expect(await createSessionViews(side.database).session('s1')).to.include({ endResult: 'OK' });
    expect(side.failures).to.deep.equal([]);
  });

  it('remembers a position that changed nothing without writing each batch', async () => {
    const projector = side.projector({ models: [sessionsReadModel] });
    projector.start();
    const position = await given('relyingParty-r1', relyingPartyRegistered('r1'));
    await eventually(async () => {
      const checkpoint = await side.database
        .selectFrom('checkpoint')
        .select('position')
        .where('name', '=', 'sessions')
        .executeTakeFirstOrThrow();
      expect(checkpoint.position).to.equal(position);
    });
  });
});
