import { expect } from 'chai';
import { EidClient, signedDeviceLink } from '../../client/index.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { findHolders } from '../../infrastructure/postgres/lockHolders.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { projectionLock } from '../../projections/engine/projector.ts';
import { readModels } from '../../projections/readModels.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { prepareInstallation } from '../support/installation/installation.ts';
import {
  call,
  type CreatedSession,
  createLiveRelyingParty,
  enrolLivePhone,
  type LivePhone,
  type LiveRelyingParty,
  type RelyingPartyCredentials,
} from '../../main/drill/callers.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { endResultOf } from '../support/installation/sessionLoad.ts';

describe('Roles in processes of their own on one database', () => {
  const processes: ServiceProcess[] = [];
  let apiA: ServiceProcess;
  let apiB: ServiceProcess;
  let projector: ServiceProcess;
  let credentials: RelyingPartyCredentials;
  let relyingParty: LiveRelyingParty;
  let phone: LivePhone;

  async function start(role: string, settings = {}): Promise<ServiceProcess> {
    const started = await createServiceProcess({ ...common, ...settings, SVC_ROLES: role });
    processes.push(started);
    await started.start();
    return started;
  }

  let common: { readonly SVC_DATABASE_URL: string; readonly SVC_SESSION_WINDOW: string };

  before(async function () {
    this.timeout(60_000);
    common = { SVC_DATABASE_URL: await migratedDatabase(), SVC_SESSION_WINDOW: '3' };
    credentials = await prepareInstallation(common);
    [apiA, apiB, projector] = await Promise.all([
      start('api', { SVC_SESSION_WINDOW: '120' }),
      start('api'),
      start('projector'),
      start('worker'),
    ]);
    relyingParty = createLiveRelyingParty(apiA.origin, credentials);
    phone = await enrolLivePhone(apiA.origin, liveCitizen(0));
  });

  after(async () => {
    await Promise.all(processes.map((each) => each.stop()));
  });

  async function createAt({ origin }: ServiceProcess): Promise<CreatedSession> {
    const { created, status } = await relyingParty.create(phone.civilId, origin);
    if (created === undefined) throw new Error(`No session was created: ${status}.`);
    return created;
  }

  it('serve at every API the revocation lists the worker publishes', async () => {
    for (const path of ['/crl', '/crl/org', '/crl/root']) {
      const tags = await Promise.all(
        [apiA, apiB].map(({ origin }) =>
          eventually(async () => {
            const response = await fetch(origin + path);
            expect(response.status).to.equal(200);
            return response.headers.get('etag');
          }),
        ),
      );
      expect(tags[0]).to.equal(tags[1]);
    }
  });

  it('open a signed link at once where its session was not started', async () => {
    const client = new EidClient({
      baseUrl: apiA.origin,
      credentials: {
        rpUUID: credentials.relyingPartyId,
        rpName: 'Fault tests',
        apiSecret: credentials.apiSecret,
      },
      generation: 'G2',
    });
    const elsewhere = createPhone({ baseUrl: apiB.origin, store: createMemoryPhoneStore() });
    await elsewhere.enrol({ card: liveCitizen(1).card, pin1: '1234', pin2: '12345' });
    const text = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
    for (let times = 0; times < 5; times += 1) {
      const session = await client.auth.deviceLinkAnonymous(text);
      const request = await elsewhere.open(signedDeviceLink(session, { type: 'QR' }));
      expect(request.sessionId).to.equal(session.sessionId);
      expect(await elsewhere.confirm(request, '1234')).to.equal('OK');
      const { endResult, flowType } = await client.session.waitForResult(session.sessionId);
      expect([endResult, flowType]).to.deep.equal(['OK', 'QR']);
    }
  });

  it('end a poll at one API within a second of the confirmation at the other', async () => {
    const tookMs: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      const session = await createAt(apiA);
      const polled = relyingParty.poll(session.sessionId, 20_000, apiB.origin);
      expect(await phone.confirm(session)).to.equal('OK');
      const confirmed = performance.now();
      const { body } = await polled;
      tookMs.push(performance.now() - confirmed);
      expect(body['state']).to.equal('COMPLETE');
      expect(endResultOf(body)).to.equal('OK');
    }
    expect(Math.max(...tookMs), 'far from the end of the poll').to.be.lessThan(15_000);
    expect(Math.min(...tookMs), 'the quickest, on a busy machine').to.be.lessThan(1000);
  });

  it('expire sessions in the worker and end polls at the APIs', async () => {
    const session = await createAt(apiB);
    const polls = [apiA, apiB].map(({ origin }) =>
      relyingParty.poll(session.sessionId, 20_000, origin),
    );
    for (const { body } of await Promise.all(polls)) {
      expect(body['state']).to.equal('COMPLETE');
      expect(endResultOf(body)).to.equal('TIMEOUT');
    }
  });

  it('serve nothing but health where there is no API', async () => {
    expect((await call(`${projector.origin}/readyz`)).status).to.equal(200);
    expect((await relyingParty.poll('any', 0, projector.origin)).status).to.equal(404);
  });

  it('share read models and reactors out among projectors and workers', async function () {
    this.timeout(60_000);
    const pool = createPool({ url: common.SVC_DATABASE_URL, max: 1 });
    try {
      const before = processes.length;
      await Promise.all([start('projector'), start('worker')]);
      const [secondProjector, secondWorker] = processes.slice(before);
      const heldBy = async (names: readonly string[]) => {
        const holders = await Promise.all(names.map((name) => findHolders(pool, name)));
        return holders.map((each) => each.map((holder) => Number(holder.split(':').at(-1))));
      };
      const ofSecond = (holders: readonly number[][], second?: ServiceProcess) =>
        holders.filter(([holder]) => holder === second?.pid).length;
      const projections = readModels.map(({ name }) => projectionLock(name));
      await eventually(async () => {
        const holders = await heldBy(projections);
        expect(holders.every(({ length }) => length === 1)).to.equal(true);
        expect(ofSecond(holders, secondProjector)).to.equal(Math.floor(projections.length / 2));
      }, 20_000);
      const { rows } = await pool.query<{ lock: string }>(
        "select 'tamga-reactor-' || substr(name, 9) as lock from checkpoint where name like 'reactor:%'",
      );
      await eventually(async () => {
        const holders = await heldBy(rows.map(({ lock }) => lock));
        expect(ofSecond(holders, secondWorker)).to.be.within(1, holders.length - 1);
      }, 20_000);
      const session = await createAt(apiA);
      const polled = relyingParty.poll(session.sessionId, 20_000, apiB.origin);
      expect(await phone.confirm(session)).to.equal('OK');
      expect(endResultOf((await polled).body)).to.equal('OK');
    } finally {
      await pool.end();
    }
  });

  it('project on when the projector is killed and another one stands by', async function () {
    this.timeout(60_000);
    await start('projector');
    await projector.kill();
    // An enrolment ends only when its device can be read from what was projected.
    const another = await eventually(() => enrolLivePhone(apiA.origin, liveCitizen(1)), 20_000);
    expect(another.civilId).to.equal(liveCitizen(1).civilId);
  });
});
