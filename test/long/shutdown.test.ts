import { expect } from 'chai';
import { call, type CreatedSession } from '../../main/drill/callers.ts';
import {
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import { startEventStoreDbDouble } from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { startRedis } from '../support/programs/redis.ts';
import type { ServiceProcess } from '../support/installation/serviceProcess.ts';
import { until } from '../support/assertions/waiting.ts';

/** Time limit of an orderly stop, ms. */
const stopMs = 10_000;
/** The same while something it talks to is silent. */
const stopWhileSilentMs = 20_000;

describe('On SIGTERM the service', () => {
  let proxy: TestProxy;
  let installed: LiveInstallation;
  let service: ServiceProcess;

  before(async function () {
    this.timeout(180_000);
    const url = await migratedDatabase();
    proxy = await startProxy(Number(new URL(url).port));
    const through = new URL(url);
    through.port = String(proxy.port);
    installed = await startInstallation(
      { SVC_DATABASE_URL: url },
      { SVC_DATABASE_URL: through.href },
    );
    ({ service } = installed);
  });

  beforeEach(async () => {
    proxy.mend();
    if (service.hasEnded()) await service.start();
  });

  after(async () => {
    await service.kill();
    await proxy.close();
  });

  it('answers waiting polls RUNNING and ends', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, createSession));
    const polls = sessions.map(({ sessionId }) => installed.relyingParty.poll(sessionId, 60_000));
    const { status } = await installed.relyingParty.poll(sessions[0]?.sessionId ?? '');
    expect(status).to.equal(200);
    await endsWithin(service, stopMs);
    for (const { status: answered, body } of await Promise.all(polls)) {
      expect({ answered, state: body['state'] }).to.deep.equal({ answered: 200, state: 'RUNNING' });
    }
  });

  it('ends directly after it began to answer', async () => {
    await endsWithin(service, stopMs);
    service.launch();
    await until(() => isLive(service));
    await endsWithin(service, stopMs);
  });

  it('ends while it is still starting', async () => {
    await endsWithin(service, stopMs);
    service.launch();
    // Before it listens to signals, the signal itself ends it.
    expect(await service.stop()).to.be.oneOf([0, 'SIGTERM']);
  });

  for (const [how, takeAway, withinMs] of [
    ['refuses connections', () => proxy.cut(), stopMs],
    ['fell silent', () => proxy.stall(), stopWhileSilentMs],
  ] as const) {
    it(`ends though PostgreSQL ${how}`, async () => {
      takeAway();
      await until(async () => (await call(`${service.origin}/readyz`)).status === 503);
      await endsWithin(service, withinMs);
    });
  }

  it('ends though EventStoreDB is unavailable', async function () {
    this.timeout(180_000);
    const double = await startEventStoreDbDouble();
    const { service: other } = await startInstallation({
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_EVENTSTORE_URL: double.url,
    });
    await endsWithin(other, stopMs);
    await other.start();
    await double.goAway();
    await endsWithin(other, stopWhileSilentMs);
    await double.stop();
  });

  it('ends though Redis fell silent', async function () {
    this.timeout(180_000);
    const redis = await startRedis();
    if (redis === null) {
      process.stdout.write('  Skipped: there is no redis-server on this machine.\n');
      this.skip();
    }
    const { service: other } = await startInstallation({
      SVC_DATABASE_URL: await migratedDatabase(),
      SVC_REDIS_URL: redis.url,
    });
    redis.freeze();
    await endsWithin(other, stopWhileSilentMs);
    redis.thaw();
    await redis.stop();
  });

  async function createSession(): Promise<CreatedSession> {
    const { created, status } = await installed.relyingParty.create(installed.phone.civilId);
    if (created === undefined) throw new Error(`No session was created: ${status}.`);
    return created;
  }
});

async function endsWithin(service: ServiceProcess, withinMs: number): Promise<void> {
  const started = performance.now();
  expect(await service.stop(), service.output()).to.equal(0);
  expect(performance.now() - started).to.be.lessThan(withinMs);
}

function isLive({ origin }: ServiceProcess): Promise<boolean> {
  return fetch(`${origin}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}
