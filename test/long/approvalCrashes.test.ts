import { expect } from 'chai';
import type pg from 'pg';
import type { EventLog } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import type { Service } from '../../main/main.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { prepareInstallation } from '../support/installation/installation.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import { openOcspStatus } from '../support/installation/ocspStatus.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import { createServiceProcess, type Settings } from '../support/installation/serviceProcess.ts';
import { signal } from '../support/assertions/waiting.ts';
import { anOrganization } from '../support/given/wishes.ts';

/** A log that stops taking anything once `last` was appended, as if the process had died then. */
function dyingAfter(last: (type: string) => boolean) {
  const died = signal();
  let isDead = false;
  const around = (log: EventLog): EventLog => ({
    ...log,
    append: async (stream, events, expected) => {
      if (isDead) throw new Unavailable('eventStore', new Error('The process died.'));
      const appended = await log.append(stream, events, expected);
      if (events.some(({ type }) => last(type))) {
        isDead = true;
        died.raise();
        throw new Unavailable('eventStore', new Error('The process died.'));
      }
      return appended;
    },
  });
  return { around, died: died.raised };
}

describe('An approved command, when the process dies', function () {
  this.timeout(60_000);
  let pool: pg.Pool;
  let settings: Settings;
  let relyingPartyId: string;
  let token: string;
  let running: Service | undefined;
  let citizens = 0;

  before(async () => {
    const url = await migratedDatabase();
    pool = createPool({ url });
    settings = {
      SVC_DATABASE_URL: url,
      SVC_ADMIN_TOKEN_SECRET: 'a secret for the sessions of these tests',
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_ADMIN_4EYES_COMMANDS: 'relyingParty.rotateSecret,organization.issueSealCertificate',
    };
    ({ relyingPartyId } = await prepareInstallation(settings));
    await start();
    ({ token } = await openOperatorWorld(origin()).signedIn('SUPER_ADMIN'));
  });

  afterEach(stop);

  after(() => pool.end());

  async function start(more: Settings = {}, aroundLog?: (log: EventLog) => EventLog) {
    await stop();
    const hooks = aroundLog === undefined ? {} : { aroundLog };
    running = createServiceHere({ ...settings, ...more }, hooks);
    await running.start();
  }

  async function stop() {
    await running?.stop();
    running = undefined;
  }

  const origin = () => running?.origin ?? '';

  /** Signed in as the development identity, the requester. */
  const ask = (path: string, body: object = {}) =>
    call(`${origin()}/v3/admin${path}`, { method: 'POST', body });

  /** Signed in as the deciding operator. */
  const decide = (id: unknown, how: string, body: object = {}) =>
    call(`${origin()}/v3/admin/approvals/${String(id)}/${how}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });

  const read = (id: unknown) => call(`${origin()}/v3/admin/approvals/${String(id)}`);

  const untilStatus = (id: unknown, status: string) =>
    eventually(async () => expect((await read(id)).body['status']).to.equal(status));

  async function enrol(baseUrl = origin()) {
    const { civilId, card } = liveCitizen(citizens++);
    const phone = createPhone({ baseUrl, store: createMemoryPhoneStore() });
    const { documentNumber } = await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    const serials = await eventually(async () => {
      const { rows } = await pool.query<{ serial: string }>(
        `select serial from certificate_view where civil_id = $1 and status = 'VALID'`,
        [civilId],
      );
      expect(rows).to.have.length(2);
      return rows.map(({ serial }) => serial);
    });
    return { documentNumber, serials, serial: serials[0] ?? '' };
  }

  /** Types of events in these streams, with who acted, in the order of the log; issuing and enrolling left out. */
  async function eventsOf(streams: readonly string[]) {
    const { rows } = await pool.query<{ type: string; metadata: string }>(
      `select type, metadata from event where stream = any($1) order by position`,
      [streams],
    );
    return rows
      .filter(({ type }) => !/Requested|Issued|Enrolled|Registered/.test(type))
      .map(({ type, metadata }) => {
        const { correlationId, causationId } = JSON.parse(metadata) as Record<string, string>;
        return { type, correlationId, causationId };
      });
  }

  async function expectRevokedOnce(
    asked: Answer,
    { documentNumber, serials }: { documentNumber: string; serials: readonly string[] },
  ) {
    const id = String(asked.body['id']);
    await untilStatus(id, 'EXECUTED');
    const approval = await eventsOf([`approval-${id}`]);
    expect(approval.map(({ type }) => type)).to.deep.equal(['ApprovalGranted', 'ApprovalExecuted']);
    const { rows } = await pool.query<{ id: string }>(
      `select event_id as id from event where stream = $1 and type = 'ApprovalGranted'`,
      [`approval-${id}`],
    );
    for (const serial of serials) {
      const revocations = await eventsOf([`certificate-${serial}`]);
      expect(revocations.map(({ type }) => type)).to.deep.equal(['CertificateRevoked']);
    }
    const [first] = await eventsOf([`certificate-${String(asked.body['subject'])}`]);
    expect(first).to.include({ correlationId: id, causationId: rows[0]?.id });
    const ends = await eventsOf([`device-${documentNumber}`]);
    expect(ends.map(({ type }) => type)).to.deep.equal(['DeviceDeactivated']);
    const statusAt = await openOcspStatus(origin());
    await eventually(async () => {
      for (const serial of serials) expect(await statusAt(origin(), serial)).to.equal(1);
    });
  }

  it('after it was asked for: it can still be approved', async () => {
    const service = await createServiceProcess(settings);
    await service.start();
    await start({ SVC_ROLES: 'api' });
    const held = await enrol();
    const asked = await call(`${service.origin}/v3/admin/certificates/${held.serial}/revoke`, {
      method: 'POST',
      body: { reason: 1 },
    });
    expect(asked.status).to.equal(202);
    await service.kill();
    await start();
    expect((await decide(asked.body['id'], 'approve')).body['status']).to.equal('EXECUTED');
    await expectRevokedOnce(asked, held);
  });

  it('after it was approved: it is executed by the next that runs, and not again by the one after', async () => {
    await stop();
    const service = await createServiceProcess({ ...settings, SVC_ROLES: 'api,projector' });
    await service.start();
    const held = await enrol(service.origin);
    const post = (path: string, headers = {}) =>
      call(`${service.origin}/v3/admin${path}`, { method: 'POST', body: { reason: 1 }, headers });
    const asked = await post(`/certificates/${held.serial}/revoke`);
    const approved = await post(`/approvals/${String(asked.body['id'])}/approve`, {
      authorization: `Bearer ${token}`,
    });
    expect([approved.status, approved.body['status']]).to.deep.equal([200, 'APPROVED']);
    expect((await eventsOf([`certificate-${held.serial}`])).length).to.equal(0);
    await service.kill();
    for (let starts = 0; starts < 2; starts += 1) {
      await start();
      await expectRevokedOnce(asked, held);
    }
  });

  for (const last of ['CertificateRevoked', 'DeviceDeactivated', 'ApprovalExecuted']) {
    it(`right after ${last}: it is finished, and nothing is done twice`, async () => {
      await start();
      const held = await enrol();
      const asked = await ask(`/certificates/${held.serial}/revoke`, { reason: 1 });
      const dying = dyingAfter((type) => type === last);
      await start({}, dying.around);
      const approving = decide(asked.body['id'], 'approve').catch(() => null);
      await dying.died;
      await start();
      await approving;
      await expectRevokedOnce(asked, held);
    });
  }

  it('while it issues a seal certificate: one is issued', async () => {
    await start();
    const register = '5512345';
    await running?.organizations.register(anOrganization(register, 'Ноён', 'NOYON'));
    const asked = await ask(`/organizations/NTRMN-${register}/seal-certificate`);
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    const dying = dyingAfter((type) => type === 'SealCertificateIssued');
    await start({}, dying.around);
    const approving = decide(asked.body['id'], 'approve').catch(() => null);
    await dying.died;
    await start();
    await approving;
    await untilStatus(asked.body['id'], 'EXECUTED');
    const { rows } = await pool.query(
      `select 1 from event where stream = $1 and type = 'SealCertificateIssued'`,
      [`sealCertificate-${register}`],
    );
    expect(rows).to.have.length(1);
  });

  it('while it hands a new secret out: the secret is lost, and made no second time', async () => {
    await start();
    const asked = await ask(`/relying-parties/${relyingPartyId}/rotate-secret`);
    const { id } = asked.body;
    expect((await ask(`/approvals/${String(id)}/collect`)).body['code']).to.equal('CONFLICT');
    expect((await decide(id, 'approve')).body['status']).to.equal('APPROVED');
    expect((await decide(id, 'collect')).body['code']).to.equal('PERMISSION_DENIED');
    const dying = dyingAfter((type) => type === 'SecretRotated');
    await start({}, dying.around);
    expect((await ask(`/approvals/${String(id)}/collect`)).status).to.equal(503);
    await start();
    expect((await ask(`/approvals/${String(id)}/collect`)).body['code']).to.equal('CONFLICT');
    expect((await read(id)).body['status']).to.equal('EXECUTED');
    const rotations = await eventsOf([`relyingParty-${relyingPartyId}`]);
    expect(rotations.map(({ type }) => type)).to.deep.equal(['SecretRotated']);
  });

  it('or not: a new secret is told once, to who asked for it, and works', async () => {
    await start();
    const asked = await ask(`/relying-parties/${relyingPartyId}/rotate-secret`);
    const { id } = asked.body;
    await decide(id, 'approve');
    const [one, other] = await Promise.all([
      ask(`/approvals/${String(id)}/collect`),
      ask(`/approvals/${String(id)}/collect`),
    ]);
    expect([one.status, other.status].sort()).to.deep.equal([200, 409]);
    const { apiSecret } = one.status === 200 ? one.body : other.body;
    const { status } = await call(`${origin()}/v3/session/unknown`, {
      headers: { authorization: `Bearer ${String(apiSecret)}` },
    });
    expect(status, 'the secret is good, the session unknown').to.be.oneOf([400, 404]);
    const stored = await pool.query<{ data: string }>(
      `select data from event where data like '%' || $1 || '%'`,
      [String(apiSecret)],
    );
    expect(stored.rows).to.deep.equal([]);
  });

  it('or nobody decides in time: it expires', async () => {
    await start({ SVC_ADMIN_APPROVAL_SECONDS: '1' });
    const held = await enrol();
    const asked = await ask(`/certificates/${held.serial}/revoke`, { reason: 1 });
    await untilStatus(asked.body['id'], 'EXPIRED');
    const late = await decide(asked.body['id'], 'approve');
    expect([late.status, late.body['code']]).to.deep.equal([410, 'APPROVAL_EXPIRED']);
    expect((await eventsOf([`certificate-${held.serial}`])).length).to.equal(0);
  });
});
