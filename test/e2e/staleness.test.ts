import { expect } from 'chai';
import type pg from 'pg';
import { findHolders } from '../../infrastructure/postgres/lockHolders.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { maintaining, prepareInstallation } from '../support/installation/installation.ts';
import {
  call,
  createLiveRelyingParty,
  type RelyingPartyCredentials,
} from '../../main/drill/callers.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import { type OcspStatusAt, openOcspStatus } from '../support/installation/ocspStatus.ts';
import {
  createServiceProcess,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';

/** Answers of the responder, in the numbers of {@link OcspStatusAt}. */
const [good, revoked] = [0, 1];

describe('What is answered while read models are behind the log', function () {
  this.timeout(240_000);
  const boundSeconds = 2;
  const processes: ServiceProcess[] = [];
  let common: Settings;
  let api: ServiceProcess;
  let projector: ServiceProcess;
  let credentials: RelyingPartyCredentials;
  let statusAt: OcspStatusAt;
  let pool: pg.Pool;

  async function start(role: string): Promise<ServiceProcess> {
    const started = await createServiceProcess({ ...common, SVC_ROLES: role });
    processes.push(started);
    await started.start();
    return started;
  }

  async function readiness({ origin }: ServiceProcess) {
    const { status, body } = await call(`${origin}/readyz`);
    const { projector: state } = body['dependencies'] as Record<string, string>;
    return { status, state };
  }

  /** Samples of a metric by their only label. */
  async function samples({ origin }: ServiceProcess, name: string) {
    const text = await (await fetch(`${origin}/metrics`)).text();
    const found = text.matchAll(new RegExp(`^${name}\\{\\w+="([^"]*)"\\} (\\S+)$`, 'gm'));
    return new Map(Array.from(found, ([, label = '', value]) => [label, Number(value)]));
  }

  async function worstLag(asked: ServiceProcess): Promise<number> {
    return Math.max(...(await samples(asked, 'projection_lag_seconds')).values());
  }

  async function enrol(number: number): Promise<{ phone: Phone; serials: readonly string[] }> {
    const { civilId, card } = liveCitizen(number);
    const phone = createPhone({ baseUrl: api.origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    const held = await maintaining(common, (service) => service.listCertificates({ civilId }));
    const serials = held.map(({ serial }) => serial);
    for (const serial of serials) {
      await eventually(async () => expect(await statusAt(api.origin, serial)).to.equal(good));
    }
    return { phone, serials };
  }

  before(async () => {
    const url = await migratedDatabase();
    pool = createPool({ url });
    common = { SVC_DATABASE_URL: url, SVC_MAX_STALENESS: String(boundSeconds) };
    credentials = await prepareInstallation(common);
    api = await start('api');
    projector = await start('projector');
    statusAt = await openOcspStatus(api.origin);
  });

  after(async () => {
    for (const { pid } of processes) process.kill(pid, 'SIGCONT');
    await Promise.all(processes.map((each) => each.stop()));
    await pool.end();
  });

  describe('with the only projector stopped', () => {
    let lost: { phone: Phone; serials: readonly string[] };
    let other: { phone: Phone; serials: readonly string[] };

    before(async () => {
      lost = await enrol(0);
      other = await enrol(1);
      await eventually(async () => {
        const active = await samples(api, 'projection_active');
        expect([...active.keys()].map((name) => name.split(':')[1])).to.deep.equal([
          String(projector.pid),
        ]);
        expect(await readiness(api)).to.deep.equal({ status: 200, state: 'up' });
        expect(await worstLag(api)).to.be.lessThan(1.5);
      });
      process.kill(projector.pid, 'SIGSTOP');
    });

    // The projector stands still: what counts now is read from the log, a second or two after it was appended.
    it('a phone given up is refused, and its certificates are revoked, without the projector', async () => {
      await lost.phone.deactivate();
      await eventually(async () => {
        for (const serial of lost.serials) {
          expect(await statusAt(api.origin, serial)).to.equal(revoked);
        }
      });
      expect(await rejection(lost.phone.deactivate())).to.include({ code: 'DEVICE_NOT_ACTIVE' });
    });

    it('a rotated secret counts, the former one no longer', async () => {
      const id = credentials.relyingPartyId;
      const path = `/v3/admin/relying-parties/${id}/rotate-secret`;
      const rotated = await call(api.origin + path, { method: 'POST' });
      const apiSecret = String(
        (rotated.body['result'] as Record<string, unknown> | undefined)?.['apiSecret'] ??
          rotated.body['apiSecret'],
      );
      const { civilId } = liveCitizen(1);
      await eventually(async () => {
        const former = await createLiveRelyingParty(api.origin, credentials).create(civilId);
        expect(former.status).to.equal(401);
      });
      credentials = { ...credentials, apiSecret };
      const present = await createLiveRelyingParty(api.origin, credentials).create(civilId);
      expect(present.status).to.equal(200);
    });

    it('says past the bound that it cannot know, and still knows what was revoked', async () => {
      await eventually(async () => {
        for (const serial of other.serials) {
          expect(await statusAt(api.origin, serial)).to.equal('tryLater');
        }
      }, 10_000);
      for (const serial of lost.serials) {
        expect(await statusAt(api.origin, serial)).to.equal(revoked);
      }
      await eventually(async () => {
        expect(await readiness(api)).to.deep.equal({ status: 200, state: 'degraded' });
        expect(await worstLag(api)).to.be.greaterThan(boundSeconds);
        expect(await samples(api, 'projection_active')).to.be.empty;
      });
    });

    it('still admits who the log knows, and knows who is turned away', async () => {
      const { civilId } = liveCitizen(1);
      const party = createLiveRelyingParty(api.origin, credentials);
      expect((await party.create(civilId)).status).to.equal(200);
      expect(await other.phone.inbox({ timeoutMs: 0 })).to.be.an('array');
      const stranger = { ...credentials, apiSecret: `${credentials.apiSecret}x` };
      const unknown = await createLiveRelyingParty(api.origin, stranger).create(civilId);
      expect(unknown.status).to.equal(503);
    });

    it('is well again when it goes on', async () => {
      process.kill(projector.pid, 'SIGCONT');
      await eventually(async () => {
        for (const serial of other.serials) {
          expect(await statusAt(api.origin, serial)).to.equal(good);
        }
        expect(await readiness(api)).to.deep.equal({ status: 200, state: 'up' });
        expect(await worstLag(api)).to.be.lessThan(1.5);
      });
      for (const serial of lost.serials) {
        expect(await statusAt(api.origin, serial)).to.equal(revoked);
      }
    });
  });

  describe('with a projector that hangs and another on standby', () => {
    it('the other takes over within ten seconds, and both know the lag', async () => {
      const standby = await start('projector');
      process.kill(projector.pid, 'SIGSTOP');
      const begun = performance.now();
      await eventually(async () => {
        const active = await samples(api, 'projection_active');
        expect([...active.keys()].map((name) => name.split(':')[1])).to.deep.equal([
          String(standby.pid),
        ]);
      });
      expect(performance.now() - begun).to.be.lessThan(10_000);
      process.kill(projector.pid, 'SIGCONT');
      await enrol(2);
      await eventually(async () => {
        for (const each of [api, projector, standby]) {
          expect(await worstLag(each), 'lag, s').to.be.lessThan(1.5);
          expect(await readiness(each)).to.deep.equal({ status: 200, state: 'up' });
        }
      });
    });
  });

  describe('with a worker that hangs and another on standby', () => {
    it('the other takes over within ten seconds', async () => {
      const holder = async () =>
        (await findHolders(pool, 'tamga-reactor-publishRevocationLists'))[0]?.split(':').at(-1);
      const hung = await start('worker');
      await eventually(async () => expect(await holder()).to.equal(String(hung.pid)));
      const standby = await start('worker');
      process.kill(hung.pid, 'SIGSTOP');
      const begun = performance.now();
      await eventually(async () => expect(await holder()).to.equal(String(standby.pid)));
      expect(performance.now() - begun).to.be.lessThan(10_000);
      process.kill(hung.pid, 'SIGCONT');
    });
  });

  describe('with a revocation that cannot be decoded', () => {
    it('does not say good of this certificate, nor accepts it, and does of all others', async () => {
      const { phone, serials } = await enrol(3);
      for (const serial of serials) {
        await pool.query(
          `select append_event('certificate-' || $1, -2, gen_random_uuid(), 'CertificateRevoked', '?', '?')`,
          [serial],
        );
      }
      await eventually(async () => {
        for (const serial of serials) {
          expect(await statusAt(api.origin, serial)).to.equal('tryLater');
        }
      });
      const party = createLiveRelyingParty(api.origin, credentials);
      expect((await party.create(liveCitizen(3).civilId)).status).to.equal(503);
      expect(await rejection(phone.inbox({ timeoutMs: 0 }))).to.include({ status: 503 });
      expect((await party.create(liveCitizen(1).civilId)).status).to.equal(200);
      const { serials: others } = await enrol(4);
      for (const serial of others) expect(await statusAt(api.origin, serial)).to.equal(good);
    });
  });
});
