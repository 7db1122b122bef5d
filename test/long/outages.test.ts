import { expect } from 'chai';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import {
  type Answer,
  call,
  type CreatedSession,
  enrolLivePhone,
} from '../../main/drill/callers.ts';
import {
  createdBy,
  cycle,
  liveCitizen,
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { startRedis, type TestRedis } from '../support/programs/redis.ts';
import {
  createTemporaryToken,
  softHsmModule,
  type TemporaryToken,
} from '../support/programs/softhsm.ts';

/** The longest a caller may wait for a 503, ms: a server that fell silent is given some seconds. */
const failFastMs = 8000;

describe('While PostgreSQL is unavailable, the service', () => {
  let proxy: TestProxy;
  let installed: LiveInstallation;

  before(async function () {
    this.timeout(60_000);
    const url = await migratedDatabase();
    proxy = await startProxy(Number(new URL(url).port));
    const through = new URL(url);
    through.port = String(proxy.port);
    installed = await startInstallation(
      { SVC_DATABASE_URL: url },
      { SVC_DATABASE_URL: through.href },
    );
  });

  after(async () => {
    await installed.service.stop();
    await proxy.close();
  });

  afterEach(() => {
    proxy.mend();
  });

  for (const [how, takeAway] of [
    ['refuses connections', () => proxy.cut()],
    ['fell silent', () => proxy.stall()],
  ] as const) {
    it(`fails fast and recovers when it ${how}`, async function () {
      this.timeout(120_000);
      const { service, relyingParty, phone } = installed;
      const session = await createdBy(installed);
      const held = relyingParty.poll(session.sessionId, 60_000);
      takeAway();
      await refusesEverything(installed, session);
      // The one call that reads a read model every time.
      expect(await rejection(phone.inbox()), 'inbox').to.include({
        status: 503,
        code: 'DEPENDENCY_UNAVAILABLE',
      });
      // Nothing is remembered about a citizen nobody asked for before.
      unavailable(await relyingParty.create(liveCitizen(3).civilId), 'create for another');
      expect(await readiness(installed)).to.include({ eventStore: 'down', database: 'down' });
      expect((await call(`${service.origin}/livez`)).status).to.equal(200);

      proxy.mend();
      await service.untilReady();
      await eventually(async () => expect(await phone.confirm(session)).to.equal('OK'));
      // It waited all the time, or had not begun to when PostgreSQL went away.
      const { state, code } = (await held).body;
      expect(state ?? code).to.be.oneOf(['COMPLETE', 'DEPENDENCY_UNAVAILABLE']);
      await cycle(installed);
    });
  }
});

describe('While EventStoreDB is unavailable, the service', () => {
  let double: EventStoreDbDouble;
  let installed: LiveInstallation;

  before(async function () {
    this.timeout(60_000);
    double = await startEventStoreDbDouble();
    installed = await startInstallation({
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_EVENTSTORE_URL: double.url,
    });
  });

  after(async () => {
    await installed.service.stop();
    await double.stop();
  });

  it('fails fast and recovers', async function () {
    this.timeout(60_000);
    const { service, phone } = installed;
    const session = await createdBy(installed);
    await double.goAway();
    await refusesEverything(installed, session);
    expect(await readiness(installed)).to.include({ eventStore: 'down', database: 'up' });
    expect((await call(`${service.origin}/livez`)).status).to.equal(200);

    await double.comeBack();
    await service.untilReady();
    await eventually(async () => expect(await phone.confirm(session)).to.equal('OK'));
    await cycle(installed);
  });
});

describe('While Redis is unavailable, the service', () => {
  let redis: TestRedis | null = null;
  let proxy: TestProxy;
  let installed: LiveInstallation;

  before(async function () {
    this.timeout(60_000);
    redis = await startRedis();
    if (redis === null) {
      process.stdout.write('  Skipped: there is no redis-server on this machine.\n');
      this.skip();
    }
    proxy = await startProxy(Number(new URL(redis.url).port));
    installed = await startInstallation(
      { SVC_DATABASE_URL: await migratedDatabase() },
      { SVC_REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
    );
  });

  after(async () => {
    if (redis === null) return;
    await installed.service.stop();
    await proxy.close();
    await redis.stop();
  });

  for (const [how, takeAway] of [
    ['refuses connections', () => proxy.cut()],
    ['fell silent', () => proxy.stall()],
  ] as const) {
    it(`serves sessions and says so when it ${how}`, async function () {
      this.timeout(60_000);
      takeAway();
      for (let times = 0; times < 3; times += 1) await cycle(installed);
      const degraded = await eventually(() => readiness(installed, 200));
      expect(degraded, 'readiness').to.include({ redis: 'degraded', database: 'up' });

      proxy.mend();
      await eventually(async () =>
        expect(await readiness(installed, 200)).to.include({ redis: 'up' }),
      );
      await cycle(installed);
    });
  }
});

describe('While the key vault is unavailable, the service', () => {
  let token: TemporaryToken | undefined;
  let installed: LiveInstallation;

  before(async function () {
    this.timeout(60_000);
    if (softHsmModule === null) {
      process.stdout.write('  Skipped: SoftHSM2 is not installed on this machine.\n');
      this.skip();
    }
    token = await createTemporaryToken(softHsmModule);
    installed = await startInstallation({
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_PKCS11_MODULE: token.modulePath,
      SVC_PKCS11_TOKEN: token.tokenLabel,
      SVC_PKCS11_PIN: token.pin,
    });
  });

  after(async () => {
    if (token === undefined) return;
    await installed.service.stop();
    await token.remove();
  });

  it('enrols nobody, serves sessions and recovers', async function () {
    this.timeout(60_000);
    const { service } = installed;
    await token?.takeAway();
    const refused = await rejection(enrolLivePhone(service.origin, liveCitizen(1)));
    expect(refused).to.include({ status: 503, code: 'DEPENDENCY_UNAVAILABLE' });
    await cycle(installed);
    expect(await readiness(installed)).to.include({ keyVault: 'down', database: 'up' });

    await token?.bringBack();
    await service.untilReady();
    await enrolLivePhone(service.origin, liveCitizen(1));
  });
});

/** Every kind of call that needs the log or the database gets a 503 that says when to try again. */
async function refusesEverything(
  { service, relyingParty, phone }: LiveInstallation,
  session: CreatedSession,
): Promise<void> {
  const calls: Readonly<Record<string, () => Promise<Answer>>> = {
    create: () => relyingParty.create(liveCitizen(0).civilId),
    poll: () => relyingParty.poll(session.sessionId),
    'verify an identity': async () => {
      const root = `${service.origin}/v3/kyc/verifications`;
      const { body } = await call(root, { method: 'POST', body: { method: 'citizenCard' } });
      const { verificationId } = body['verification'] as { readonly verificationId: string };
      return call(`${root}/${verificationId}/steps/citizen-card`, {
        method: 'POST',
        headers: { authorization: `Bearer ${String(body['secret'])}` },
        body: { identifier: liveCitizen(0).civilId, cardNumber: 'E1', birthDate: '1990-01-01' },
      });
    },
  };
  for (const [name, send] of Object.entries(calls)) unavailable(await send(), name);
  const started = performance.now();
  const refused = await rejection(phone.confirm(session));
  expect(refused, 'confirm').to.include({ status: 503, code: 'DEPENDENCY_UNAVAILABLE' });
  expect(performance.now() - started, 'confirm').to.be.lessThan(failFastMs);
}

function unavailable({ status, headers, body, tookMs }: Answer, name: string): void {
  expect({ status, code: body['code'] }, name).to.deep.equal({
    status: 503,
    code: 'DEPENDENCY_UNAVAILABLE',
  });
  expect(headers.get('content-type'), name).to.match(/^application\/problem\+json/);
  expect(Number(headers.get('retry-after')), name).to.be.greaterThan(0);
  expect(tookMs, name).to.be.lessThan(failFastMs);
}

/** Dependencies in `/readyz`. @param expected its status */
async function readiness({ service }: LiveInstallation, expected = 503): Promise<object> {
  const { status, body, tookMs } = await call(`${service.origin}/readyz`);
  expect(status).to.equal(expected);
  expect(tookMs).to.be.lessThan(5000);
  return body['dependencies'] as object;
}
