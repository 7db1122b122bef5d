import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import type { Service } from '../../main/main.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { prepareInstallation, startServiceHere } from '../support/installation/installation.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import { type OcspStatusAt, openOcspStatus } from '../support/installation/ocspStatus.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type SignedInOperator,
} from '../support/worlds/operatorWorld.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

describe('Sensitive commands under four eyes', function () {
  this.timeout(60_000);
  let pool: pg.Pool;
  let service: Service;
  let world: OperatorWorld;
  let statusAt: OcspStatusAt;
  let relyingParty: { readonly relyingPartyId: string; readonly apiSecret: string };
  let officer: SignedInOperator;
  let secondOfficer: SignedInOperator;
  let support: SignedInOperator;
  let admin: SignedInOperator;
  let citizens = 0;

  before(async () => {
    const url = await migratedDatabase();
    pool = createPool({ url });
    const settings = {
      SVC_DATABASE_URL: url,
      SVC_ADMIN_TOKEN_SECRET: 'a secret for the sessions of these tests',
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_ADMIN_4EYES_COMMANDS: 'operator.changeRole,person.forget',
    };
    relyingParty = await prepareInstallation(settings);
    service = await startServiceHere(settings);
    statusAt = await openOcspStatus(service.origin);
    world = openOperatorWorld(service.origin);
    // Added while nobody is signed in who would have to agree.
    officer = await world.signedIn('SECURITY_OFFICER');
    secondOfficer = await world.signedIn('SECURITY_OFFICER');
    support = await world.signedIn('SUPPORT');
    admin = await world.signedIn('SUPER_ADMIN');
  });

  after(async () => {
    await service.stop();
    await pool.end();
  });

  /** A citizen of their own for each test. */
  async function enrol() {
    const { civilId, card } = liveCitizen(citizens++);
    const phone = createPhone({ baseUrl: service.origin, store: createMemoryPhoneStore() });
    const { documentNumber } = await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    const serials = await eventually(async () => {
      const { rows } = await pool.query<{ serial: string }>(
        `select serial from certificate_view where civil_id = $1 and status = 'VALID'`,
        [civilId],
      );
      expect(rows).to.have.length(2);
      return rows.map(({ serial }) => serial);
    });
    return { civilId, documentNumber, serials, serial: serials[0] ?? '' };
  }

  const decide = (operator: SignedInOperator, { body }: Answer, how: string, reason?: string) =>
    operator.call(
      'POST',
      `/approvals/${String(body['id'])}/${how}`,
      reason === undefined ? undefined : { reason },
    );

  it('revoke a certificate once another operator approves, and OCSP says so', async () => {
    const { serial, serials, documentNumber } = await enrol();
    const asked = await officer.call('POST', `/certificates/${serial}/revoke`, {
      reason: 1,
      comment: 'Reported stolen',
    });
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    expect(asked.headers.get('location')).to.equal(
      `/v3/admin/approvals/${String(asked.body['id'])}`,
    );
    expect(asked.body).to.include({
      status: 'PENDING',
      operation: 'certificate.revoke',
      capability: 'cert:revoke',
      subject: serial,
      requestedBy: officer.id,
      comment: 'Reported stolen',
    });
    expect(asked.body['command']).to.deep.equal({ serial, reason: 1 });
    expect(asked.body['effects']).to.deep.include.members([
      { target: `certificate ${serial}`, before: 'VALID', after: 'REVOKED for reason 1' },
      { target: `device ${documentNumber}`, before: 'ACTIVE', after: 'DEACTIVATED' },
    ]);
    for (const each of serials) expect(await statusAt(service.origin, each)).to.equal(0);

    const approved = await decide(secondOfficer, asked, 'approve');

    expect(approved.status, JSON.stringify(approved.body)).to.equal(200);
    expect(approved.body).to.include({
      status: 'EXECUTED',
      decidedBy: secondOfficer.id,
      code: null,
    });
    for (const each of serials) expect(await statusAt(service.origin, each)).to.equal(1);
    const again = await officer.call('POST', `/certificates/${serial}/revoke`, { reason: 1 });
    expect(again.body).to.include({ status: 'UNCHANGED', subject: serial });
  });

  it('are asked for once while they wait, do nothing when rejected, and say why', async () => {
    const { documentNumber, serial } = await enrol();
    const asked = await support.call('POST', `/devices/${documentNumber}/deactivate`);
    expect(asked.body['command']).to.deep.equal({ documentNumber, reason: 1 });
    const again = () => support.call('POST', `/devices/${documentNumber}/deactivate`);
    const twice = await again();
    expect([twice.status, twice.body['code']]).to.deep.equal([409, 'CONFLICT']);
    expect(String(twice.body['detail'])).to.contain(String(asked.body['id']));
    // Another reason does not make it another request: both would end the same phone.
    const otherwise = await support.call('POST', `/devices/${documentNumber}/deactivate`, {
      reason: 4,
    });
    expect(otherwise.status).to.equal(409);
    expect((await decide(officer, asked, 'reject')).status).to.equal(400);
    const rejected = await decide(officer, asked, 'reject', 'The phone was found');
    expect(rejected.status).to.equal(200);
    expect(rejected.body).to.include({ status: 'REJECTED', reason: 'The phone was found' });
    const read = await support.call('GET', `/approvals/${String(asked.body['id'])}`);
    expect(read.body).to.deep.equal({ ...rejected.body, names: read.body['names'] });
    expect((await decide(secondOfficer, asked, 'approve')).body['code']).to.equal(
      'APPROVAL_DECIDED',
    );
    expect(await statusAt(service.origin, serial)).to.equal(0);
    expect((await again()).status).to.equal(202);
  });

  it('need the capability of the command, and another operator than who asked', async () => {
    const { serial } = await enrol();
    const asked = await officer.call('POST', `/certificates/${serial}/revoke`, { reason: 4 });
    for (const how of ['approve', 'reject']) {
      const reason = how === 'reject' ? 'No' : undefined;
      const own = await decide(officer, asked, how, reason);
      expect([own.status, own.body['code']]).to.deep.equal([403, 'ErrSelfApproval']);
      const unable = await decide(support, asked, how, reason);
      expect([unable.status, unable.body['code']]).to.deep.equal([403, 'PERMISSION_DENIED']);
    }
    expect((await officer.call('POST', '/approvals/unknown/approve')).status).to.equal(404);
    expect(await statusAt(service.origin, serial)).to.equal(0);
  });

  it('count the open development identity as one, too', async () => {
    const { serial } = await enrol();
    const open = `${service.origin}/v3/admin`;
    const asked = await call(`${open}/certificates/${serial}/revoke`, {
      method: 'POST',
      body: { reason: 5 },
    });
    expect(asked.body['requestedBy']).to.equal('development');
    const url = `${open}/approvals/${String(asked.body['id'])}/approve`;
    const own = await call(url, { method: 'POST' });
    expect([own.status, own.body['code']]).to.deep.equal([403, 'ErrSelfApproval']);
    expect((await decide(admin, asked, 'approve')).body['status']).to.equal('EXECUTED');
  });

  it('F8: are not approved by an operator whom the requester added', async () => {
    const { serial } = await enrol();
    const independent = await world.signedIn('SUPER_ADMIN');
    const email = 'alias@tamga.example';
    const password = 'a password of the alias';
    const added = await admin.call('POST', '/admins', { email, password, role: 'SUPER_ADMIN' });
    expect(added.status).to.equal(202);
    const wanted = { operation: 'operator.changeRole', requestedBy: admin.id, status: 'PENDING' };
    expect(added.body).to.include(wanted);
    const id = String(added.body['subject']);
    const alias = await world.signIn({ id, email, password, role: 'SUPER_ADMIN', secret: null });
    expect((await alias.call('GET', '/account')).body['role']).to.equal('AUDITOR');
    expect((await decide(independent, added, 'approve')).body['status']).to.equal('EXECUTED');
    expect((await alias.call('GET', '/account')).body['role']).to.equal('SUPER_ADMIN');

    const asked = await admin.call('POST', `/certificates/${serial}/revoke`, { reason: 1 });
    const approved = await decide(alias, asked, 'approve');

    expect([approved.status, approved.body['code']]).to.deep.equal([
      403,
      'APPROVER_NOT_INDEPENDENT',
    ]);
    expect(await statusAt(service.origin, serial)).to.equal(0);
    expect((await decide(independent, asked, 'approve')).body['status']).to.equal('EXECUTED');
  });

  it('R7: reactivate a relying party once another operator approves', async () => {
    const { relyingPartyId } = relyingParty;
    const at = `/relying-parties/${relyingPartyId}`;
    const second = await world.signedIn('SUPER_ADMIN');
    await decide(second, await admin.call('POST', `${at}/deactivate`), 'approve');
    expect((await admin.call('GET', at)).body['active']).to.equal(false);

    const asked = await admin.call('POST', `${at}/reactivate`, { comment: 'They mended it' });

    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    expect((await admin.call('GET', at)).body['active']).to.equal(false);
    expect((await decide(second, asked, 'approve')).body['status']).to.equal('EXECUTED');
    expect((await admin.call('GET', at)).body['active']).to.equal(true);
  });

  it('are refused at once for what they could never do', async () => {
    const { serial, documentNumber } = await enrol();
    const revoke = (reason: unknown, id = serial) =>
      officer.call('POST', `/certificates/${id}/revoke`, { reason });
    expect((await revoke(8)).body['code']).to.equal('REVOCATION_REASON_INVALID');
    expect((await revoke(7)).body['code']).to.equal('REVOCATION_REASON_INVALID');
    for (const reason of [11, -1, 1.5, '1', undefined]) {
      expect((await revoke(reason)).body['code'], String(reason)).to.equal('INVALID_REQUEST');
    }
    expect((await revoke(1, '00ff')).body['code']).to.equal('CERTIFICATE_NOT_FOUND');
    const deactivate = (path: string, reason: number) =>
      support.call('POST', path, { reason }).then(({ body }) => body['code']);
    expect(await deactivate(`/devices/${documentNumber}/deactivate`, 6)).to.equal(
      'REVOCATION_REASON_INVALID',
    );
    expect(await deactivate('/devices/unknown/deactivate', 1)).to.equal('DOCUMENT_NOT_FOUND');
    expect((await admin.call('POST', '/relying-parties/unknown/deactivate')).body['code']).to.equal(
      'RELYING_PARTY_NOT_FOUND',
    );
    expect((await admin.call('POST', '/users/PNOMN-999999999999/forget')).body['code']).to.equal(
      'PERSON_NOT_FOUND',
    );
    expect(
      (await support.call('POST', `/certificates/${serial}/revoke`, { reason: 1 })).status,
    ).to.equal(403);
  });

  it('suspend for reason 6, and leave the phone', async () => {
    const { serial, serials } = await enrol();
    const asked = await officer.call('POST', `/certificates/${serial}/revoke`, { reason: 6 });
    expect(asked.body['effects']).to.deep.equal([
      { target: `certificate ${serial}`, before: 'VALID', after: 'SUSPENDED' },
    ]);
    await decide(secondOfficer, asked, 'approve');
    expect(await statusAt(service.origin, serial)).to.equal(1);
    expect(await statusAt(service.origin, serials[1] ?? '')).to.equal(0);
  });

  it('are stale once what they are about has changed', async () => {
    const { documentNumber, serial } = await enrol();
    const first = await officer.call('POST', `/certificates/${serial}/revoke`, { reason: 1 });
    const second = await support.call('POST', `/devices/${documentNumber}/deactivate`);
    expect((await decide(secondOfficer, first, 'approve')).body['status']).to.equal('EXECUTED');
    for (let times = 0; times < 2; times += 1) {
      const late = await decide(secondOfficer, second, 'approve');
      expect([late.status, late.body['code']]).to.deep.equal([409, 'APPROVAL_STALE']);
    }
    const read = await officer.call('GET', `/approvals/${String(second.body['id'])}`);
    expect(read.body).to.include({ status: 'FAILED', code: 'APPROVAL_STALE' });
  });

  it('are decided once when two approve, and one rejects, at the same time', async () => {
    const { serial } = await enrol();
    const asked = await officer.call('POST', `/certificates/${serial}/revoke`, { reason: 1 });
    const answers = await Promise.all([
      decide(secondOfficer, asked, 'approve'),
      decide(admin, asked, 'approve'),
      decide(admin, asked, 'reject', 'No'),
      decide(secondOfficer, asked, 'approve'),
    ]);
    const read = await officer.call('GET', `/approvals/${String(asked.body['id'])}`);
    const decided = String(read.body['decidedBy']);
    const isRejected = read.body['status'] === 'REJECTED';
    const [byOfficer, byAdmin, rejection, again] = answers;
    expect(byOfficer.status).to.equal(decided === secondOfficer.id ? 200 : 409);
    expect(again.status).to.equal(byOfficer.status);
    expect(byAdmin.status).to.equal(decided === admin.id && !isRejected ? 200 : 409);
    expect(rejection.status).to.equal(isRejected ? 200 : 409);
    expect(await statusAt(service.origin, serial)).to.equal(isRejected ? 0 : 1);
  });

  it('deactivate a relying party, whose secret opens nothing any more', async () => {
    const path = `/relying-parties/${relyingParty.relyingPartyId}/deactivate`;
    const asked = await admin.call('POST', path, { comment: 'Contract ended' });
    expect(asked.status).to.equal(202);
    const operator = await world.signedIn('RP_OPERATOR');
    expect((await decide(operator, asked, 'approve')).body['status']).to.equal('EXECUTED');
    const { status } = await call(`${service.origin}/v3/session/unknown`, {
      headers: { authorization: `Bearer ${relyingParty.apiSecret}` },
    });
    expect(status).to.equal(401);
  });

  it('change a role, and refuse what was asked by an operator whose own was lowered since', async () => {
    const { serial } = await enrol();
    const other = await world.signedIn('SUPER_ADMIN');
    const asked = await other.call('POST', `/certificates/${serial}/revoke`, { reason: 1 });
    const lowering = await admin.call('PATCH', `/admins/${other.id}`, { role: 'AUDITOR' });
    expect(lowering.body).to.include({ operation: 'operator.changeRole', status: 'PENDING' });
    expect((await decide(other, lowering, 'approve')).body['status']).to.equal('EXECUTED');
    expect((await other.call('GET', '/account')).body['role']).to.equal('AUDITOR');

    const approved = await decide(officer, asked, 'approve');

    expect([approved.status, approved.body['code']]).to.deep.equal([409, 'APPROVAL_STALE']);
    const read = await admin.call('GET', `/approvals/${String(asked.body['id'])}`);
    expect(read.body).to.include({ status: 'FAILED', code: 'PERMISSION_DENIED' });
    expect(await statusAt(service.origin, serial)).to.equal(0);
  });

  it('refuse what was asked by an operator deactivated since', async () => {
    const { serial } = await enrol();
    const other = await world.signedIn('SECURITY_OFFICER');
    const asked = await other.call('POST', `/certificates/${serial}/revoke`, { reason: 1 });
    const leaving = await admin.call('POST', `/admins/${other.id}/deactivate`);
    expect(leaving.body).to.include({ operation: 'operator.deactivate', status: 'PENDING' });
    const second = await world.signedIn('SUPER_ADMIN');
    expect((await decide(second, leaving, 'approve')).body['status']).to.equal('EXECUTED');
    expect((await decide(officer, asked, 'approve')).body['code']).to.equal('APPROVAL_STALE');
    expect(await statusAt(service.origin, serial)).to.equal(0);
  });

  it('R3: reset the authenticator of an operator once another administrator approves', async () => {
    const other = await world.signedIn('SUPPORT');
    const path = `/admins/${other.id}/reset-second-factor`;
    const asked = await admin.call('POST', path, { comment: 'Lost the phone' });
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    expect(asked.body).to.include({ operation: 'operator.resetSecondFactor', status: 'PENDING' });
    expect((await other.call('GET', '/account')).status).to.equal(200);
    const second = await world.signedIn('SUPER_ADMIN');
    expect((await decide(second, asked, 'approve')).body['status']).to.equal('EXECUTED');
    expect((await other.call('GET', '/account')).status).to.equal(401);
  });

  it('F3: give a relying party other names', async () => {
    const asker = await world.signedIn('RP_OPERATOR');
    const approver = await world.signedIn('RP_OPERATOR');
    const { relyingPartyId } = relyingParty;
    const path = `/relying-parties/${relyingPartyId}`;
    const body = { aliases: ['Khan Bank'], otherNames: true };
    const asked = await asker.call('PUT', `${path}/names`, body);
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    expect(asked.body).to.include({ operation: 'relyingParty.setNames', subject: relyingPartyId });
    expect(asked.body['effects']).to.deep.equal([
      { target: 'aliases of relying party Fault tests', before: 'none', after: 'Khan Bank' },
      {
        target: 'other names of relying party Fault tests',
        before: 'refused',
        after: 'shown after the registered one',
      },
    ]);
    const own = { aliases: [], otherNames: false };
    expect((await asker.call('GET', path)).body).to.deep.include(own);

    const approved = await decide(approver, asked, 'approve');

    expect(approved.body, JSON.stringify(approved.body)).to.include({ status: 'EXECUTED' });
    expect((await asker.call('GET', path)).body).to.deep.include(body);
    const again = await asker.call('PUT', `${path}/names`, body);
    expect([again.status, again.body['otherNames']]).to.deep.equal([200, true]);
    const unusable = await asker.call('PUT', `${path}/names`, {
      aliases: ['Kh\u0430n Bank'],
      otherNames: true,
    });
    expect([unusable.status, unusable.body['code']]).to.deep.equal([400, 'INVALID_REQUEST']);
  });

  it('forget a person', async () => {
    const { civilId, serials } = await enrol();
    const comment = 'Asked for by the person';
    const asked = await admin.call('POST', `/users/PNOMN-${civilId}/forget`, { comment });
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    const other = await world.signedIn('SUPER_ADMIN');
    const forgotten = await decide(other, asked, 'approve');
    expect(forgotten.body, JSON.stringify(forgotten.body)).to.include({ status: 'EXECUTED' });
    expect(forgotten.body['comment']).to.equal('[forgotten]');
    for (const serial of serials) expect(await statusAt(service.origin, serial)).to.equal(1);
    const path = `/audit?type=PERSON_FORGET&subject=PNOMN-${civilId}`;
    await eventually(async () => {
      expect((await admin.call('GET', path)).body['items']).to.have.length(1);
    });
  });

  it('skip an event that cannot be projected, which health and the system page show until then', async () => {
    const eventId = randomUUID();
    await pool.query(
      `insert into parked_event (read_model, position, row_key, event_id, stream, revision, error, attempts)
       values ('sessions', 1, 'gone', $1, 'session-gone', 0, 'TypeError', 1)`,
      [eventId],
    );
    const readiness = async () => (await fetch(`${service.origin}/readyz`)).json();
    const parked = [{ projection: 'sessions', rows: 1 }];
    expect(await readiness()).to.deep.include({
      status: 'degraded',
      leftBehind: { parked, deadLetters: [] },
    });
    const system = await admin.call('GET', '/system');
    expect(system.body['parked']).to.deep.equal(parked);
    const [shown] = system.body['parkedEvents'] as readonly Record<string, unknown>[];
    expect(shown).to.deep.include({
      projection: 'sessions',
      eventId,
      error: 'TypeError',
      events: 1,
      attempts: 1,
    });

    const skip = (id: string) =>
      admin.call('POST', `/projections/sessions/parked-events/${id}/skip`, {});
    expect((await skip(randomUUID())).status).to.equal(404);
    for (const readModel of ['certificates', 'devices', 'relyingParties', 'representations']) {
      const path = `/projections/${readModel}/parked-events/${eventId}/skip`;
      expect((await admin.call('POST', path, {})).status, 'a right').to.equal(409);
    }
    const asked = await skip(eventId);
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
    expect(asked.body['command']).to.deep.equal({ readModel: 'sessions', eventId });
    const second = await world.signedIn('SUPER_ADMIN');
    expect((await decide(second, asked, 'approve')).body).to.include({ status: 'EXECUTED' });
    expect(await readiness()).to.include({ status: 'ready' });
    await eventually(async () => {
      const { body } = await admin.call('GET', `/audit?type=PROJECTION_SKIP&subject=${eventId}`);
      expect(body['items']).to.have.length(1);
    });
    expect((await skip(eventId)).body).to.include({ status: 'UNCHANGED' });
    // Nothing of it waits any more.
    const retried = await admin.call('POST', '/projections/sessions/retry');
    expect(retried.body).to.deep.equal({ rows: 0 });
  });

  it('are listed by status, the newest first, in pages', async () => {
    const all = await support.call('GET', '/approvals?limit=200');
    const items = all.body['items'] as readonly Record<string, unknown>[];
    expect(items.length).to.equal(all.body['total']);
    const times = items.map((item) => String(item['requestedAt']));
    expect(times).to.deep.equal([...times].sort().reverse());
    const failed = items.filter(({ status }) => status === 'FAILED');
    const listed = await support.call('GET', '/approvals?status=FAILED&limit=1&offset=1');
    expect(listed.body).to.deep.equal({
      items: failed.slice(1, 2),
      total: failed.length,
      totalIsExact: true,
      limit: 1,
      offset: 1,
      snapshot: listed.body['snapshot'],
      names: listed.body['names'],
    });
    expect(listed.body['snapshot']).to.be.a('string');
    expect(items[0]).to.have.all.keys(
      ...['id', 'status', 'operation', 'capability', 'subject', 'effects', 'commandHash'],
      ...['requestedBy', 'requestedAt', 'expiresAt', 'decidedBy', 'decidedAt', 'endedAt', 'code'],
      ...['requestedByEmail', 'decidedByEmail'],
    );
    const own = await support.call('GET', `/approvals?limit=200&requestedBy=${support.id}`);
    const asked = items.filter(({ requestedBy }) => requestedBy === support.id);
    expect(asked).not.to.be.empty.and.not.to.have.length(items.length);
    expect(own.body['items']).to.deep.equal(asked);
    for (const { requestedByEmail } of asked) expect(requestedByEmail).to.equal(support.email);
    expect((await support.call('GET', '/approvals?status=OPEN')).status).to.equal(400);
  });
});
