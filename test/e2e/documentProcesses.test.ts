import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type DemoCitizen, demoCitizens } from '../../main/cli/demo.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import {
  callerAt,
  type DocumentAnswer,
  type DocumentCaller,
  documentSettings,
} from '../support/worlds/documentWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { maintaining } from '../support/installation/installation.ts';
import { expectSound } from '../support/pdf/pdfChecks.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

/** Points at which recording a signature can be blocked, each by a lock. */
const places = { 'the sealed file': 4801, DocumentSigned: 4802 } as const;

const holding = `
  create function hold_event() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${places.DocumentSigned});
    return new;
  end $$;
  create trigger hold_event before insert on event
    for each row when (new.type = 'DocumentSigned') execute function hold_event();
  create function hold_note() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${places['the sealed file']});
    return new;
  end $$;
  create trigger hold_note before insert on unsettled_file
    for each row execute function hold_note()`;

describe('Documents in two processes on one database and one directory of files', function () {
  this.timeout(120_000);
  const contract = onePage();
  const [bat, sarangerel] = demoCitizens as [DemoCitizen, DemoCitizen];
  let directory: string;
  let database: pg.Client;
  let one: ServiceProcess;
  let other: ServiceProcess;
  let atOne: DocumentCaller;
  let atOther: DocumentCaller;
  const phones = new Map<DemoCitizen, Phone>();

  before(async () => {
    directory = await serverDirectory('documents');
    const settings = {
      ...documentSettings,
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_FILE_STORE_DIR: join(directory, 'files'),
    };
    await maintaining(settings, (service) =>
      service.importRegister('civil', 'infrastructure/registry/demo/civil-registry.csv'),
    );
    one = await createServiceProcess(settings);
    other = await createServiceProcess(settings);
    await Promise.all([one.start(), other.start()]);
    [atOne, atOther] = [await callerAt(one.origin), await callerAt(other.origin)];
    for (const citizen of [bat, sarangerel]) {
      const { civilId: identifier, cardNumber, birthDate, pin1, pin2, keyType } = citizen;
      const phone = createPhone({ baseUrl: one.origin, store: createMemoryPhoneStore(), keyType });
      await phone.enrol({ card: { identifier, cardNumber, birthDate }, pin1, pin2 });
      phones.set(citizen, phone);
    }
    database = new pg.Client(settings.SVC_DATABASE_URL);
    await database.connect();
    await database.query(holding);
  });

  after(async () => {
    await database.end();
    await Promise.all([one.stop(), other.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  const start = (at: DocumentCaller, id: string, { regNo }: DemoCitizen) =>
    at.call('POST', `/${id}/sign/eid/start`, { reg_number: regNo });
  const poll = (at: DocumentCaller, id: string, session_id: string) =>
    at.call('POST', `/${id}/sign/eid/poll`, { session_id, timeout_ms: 20_000 });

  async function confirm(sessionId: string, citizen: DemoCitizen): Promise<void> {
    const phone = phones.get(citizen);
    await phone?.confirm(await phone.open(sessionId), citizen.pin2);
  }

  /** Types of the document's events, in their order. */
  async function eventsOf(id: string): Promise<readonly string[]> {
    const { rows } = await database.query<{ type: string }>(
      'select type from event where stream = $1 order by revision',
      [`document-${id}`],
    );
    return rows.map(({ type }) => type);
  }

  async function expectSignedOnce(at: DocumentCaller, id: string): Promise<void> {
    expect((await at.call('GET', `/${id}`)).body).to.include({ status: 'APPROVED' });
    expect(await eventsOf(id)).to.deep.equal([
      ...['DocumentCreated', 'DocumentFileAttached', 'DocumentSigningStarted', 'DocumentSigned'],
    ]);
    const { bytes } = await at.call('GET', `/${id}/file`);
    await expectSound(directory, bytes, { original: contract, signatures: 1, newPages: 1 });
  }

  it('uploaded at one, asked at the other, polled at both: one outcome', async () => {
    const id = await atOne.create();
    expect((await atOne.upload(id, contract)).status).to.equal(200);
    const session = String((await start(atOther, id, bat)).body['session_id']);
    const polls = [atOne, atOther, atOne, atOther].map((at) => poll(at, id, session));
    await confirm(session, bat);
    for (const { body } of await Promise.all(polls)) {
      expect(body).to.include({ state: 'COMPLETE', end_result: 'OK' });
      expect(body['document']).to.include({ status: 'APPROVED' });
    }
    await expectSignedOnce(atOther, id);
  });

  it('asked at both at once: one citizen is asked', async () => {
    const id = await atOne.create([null, null]);
    await atOther.upload(id, contract);
    const answers = await Promise.all([start(atOne, id, bat), start(atOther, id, sarangerel)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const started = (await eventsOf(id)).filter((type) => type === 'DocumentSigningStarted');
    expect(started).to.have.length(1);
  });

  it('a file replaced at one while signing starts at the other: the document carries the signed file', async () => {
    const id = await atOne.create();
    await atOne.upload(id, contract);
    const longer = Buffer.concat([contract, Buffer.from('\n% another\n')]);
    const [replaced, started] = await Promise.all([
      atOne.upload(id, longer),
      start(atOther, id, bat),
    ]);
    // One after the other is right as well, as long as nothing is replaced after signing has started.
    const happened = [
      ...(replaced.status === 200 ? ['DocumentFileAttached'] : []),
      ...(started.status === 200 ? ['DocumentSigningStarted'] : []),
    ];
    expect(happened, 'one of the two').to.have.length.greaterThan(0);
    expect([replaced.status, started.status]).to.satisfy((statuses: readonly number[]) =>
      statuses.every((status) => status === 200 || status === 409),
    );
    expect((await eventsOf(id)).slice(2)).to.deep.equal(happened);
  });

  describe('killed in the middle of signing, between the session and its record', () => {
    /** The loser of a race leaves a copy until the sweep. */
    let leftBefore: readonly string[] = [];
    before(async () => {
      await other.stop();
      leftBefore = (await files()).unused;
    });

    async function hold(lock: number): Promise<void> {
      await database.query('select pg_advisory_lock($1)', [lock]);
    }

    /** Once somebody waits there. @returns the backends */
    const held = (lock: number) =>
      eventually(async () => {
        const { rows } = await database.query<{ pid: number }>(
          `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
          [lock],
        );
        expect(rows).not.to.have.length(0);
        return rows.map(({ pid }) => pid);
      }, 20_000);

    for (const [place, lock] of Object.entries(places)) {
      it(`before ${place} is on the disk: completed once by the next that runs`, async () => {
        const id = await atOne.create();
        await atOne.upload(id, contract);
        const session = String((await start(atOne, id, bat)).body['session_id']);
        await hold(lock);
        const interrupted: Promise<DocumentAnswer | null> = poll(atOne, id, session).catch(
          () => null,
        );
        await confirm(session, bat);
        await held(lock);
        await one.kill();
        // Requests in flight are lost with their connection.
        for (const pid of await held(lock)) {
          await database.query('select pg_terminate_backend($1)', [pid]);
        }
        await database.query('select pg_advisory_unlock($1)', [lock]);
        expect(await interrupted).to.equal(null);
        expect(await eventsOf(id)).not.to.include('DocumentSigned');
        await one.start();
        // Nobody polls.
        await eventually(
          async () => expect(await eventsOf(id)).to.include('DocumentSigned'),
          60_000,
        );
        await expectSignedOnce(atOne, id);
        expect((await poll(atOne, id, session)).body).to.include({ end_result: 'OK' });
      });
    }

    /** Files in the store, and those of them that documents refer to. */
    async function files() {
      const all = await readdir(join(directory, 'files'), { recursive: true });
      const stored = all.flatMap((name) => name.split('/')[1] ?? []);
      const { rows } = await database.query<{ data: string }>(
        `select data from event where type in ('DocumentFileAttached', 'DocumentSigned')`,
      );
      const referred = new Set(
        rows.flatMap(({ data }) => /"fileId":"([^"]+)"/.exec(data)?.[1] ?? []),
      );
      return { stored, unused: stored.filter((fileId) => !referred.has(fileId)) };
    }

    it('leaves no file behind that nothing refers to', async () => {
      const left = (await files()).unused.filter((fileId) => !leftBefore.includes(fileId));
      // Of the killed one, and of each that lost a race with another: all are known to the sweep.
      expect(left).not.to.have.length(0);
      const { rows: noted } = await database.query<{ id: string }>(
        'select file_id as id from unsettled_file',
      );
      expect(noted.map(({ id }) => id)).to.include.members(left);
      await database.query(`update unsettled_file set noted_at = now() - interval '2 hours'`);
      await one.kill();
      await one.start();
      await eventually(async () => {
        expect((await database.query('select 1 from unsettled_file')).rowCount).to.equal(0);
      });
      const { stored, unused } = await files();
      expect(unused).to.deep.equal([]);
      expect(stored.length).to.be.greaterThan(7);
    });
  });
});
