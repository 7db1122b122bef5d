import { expect } from 'chai';
import { createMemoryReplayStore } from '../../infrastructure/system.ts';
import { createRedisClient, type RedisClient } from '../../infrastructure/redis/client.ts';
import { givenBackOnFailure } from '../../application/attempts.ts';
import { createRedisAttemptLimits } from '../../infrastructure/redis/redisAttemptLimits.ts';
import { createRedisReplayStore } from '../../infrastructure/redis/redisReplayStore.ts';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startRedis, type TestRedis } from '../support/programs/redis.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('What processes share through Redis', () => {
  let server: TestRedis | null = null;
  let clients: RedisClient[] = [];

  before(async function () {
    server = await startRedis();
    if (server === null) {
      process.stdout.write('  Skipped: there is no redis-server on this machine.\n');
      this.skip();
    }
  });

  after(() => server?.stop());

  afterEach(() => {
    for (const client of clients) client.stop();
    clients = [];
  });

  /** A process of its own, connected, that waits for Redis however long it takes. */
  async function connected(commandTimeoutMs = 10_000) {
    const client = createRedisClient(server?.url ?? '', commandTimeoutMs);
    clients.push(client);
    await eventually(async () => {
      await client.client.ping();
    });
    return client.client;
  }

  async function replayStore(commandTimeoutMs?: number) {
    return createRedisReplayStore({
      redis: await connected(commandTimeoutMs),
      ownUses: createMemoryReplayStore(),
    });
  }

  it('R4: is that a proof used at one process is used at all, and after a restart', async () => {
    const [one, another] = [await replayStore(), await replayStore()];
    const until = new Date(Date.now() + 60_000);
    expect(await one.firstUse('proof', until)).to.equal(true);
    expect(await another.firstUse('proof', until)).to.equal(false);
    expect(await another.firstUse('other', until)).to.equal(true);
    for (const client of clients) client.stop();
    expect(await (await replayStore()).firstUse('proof', until)).to.equal(false);
  });

  it('is that of many uses at once exactly one is the first', async () => {
    const stores = await Promise.all([replayStore(), replayStore(), replayStore()]);
    const until = new Date(Date.now() + 60_000);
    const uses = await Promise.all(stores.map(async (store) => store.firstUse('race', until)));
    expect(uses.filter((first) => first)).to.have.length(1);
  });

  it('is how often somebody guessed', async () => {
    const limits = [
      createRedisAttemptLimits({ redis: await connected(), attempts: 2 }),
      createRedisAttemptLimits({ redis: await connected(), attempts: 2 }),
    ] as const;
    expect(await limits[0].attempt('person')).to.equal(0);
    expect(await limits[1].attempt('person')).to.equal(0);
    expect(await limits[0].attempt('person')).to.be.within(1, 15 * 60);
    expect(await limits[1].wait('person')).to.be.within(1, 15 * 60);
    expect(await limits[1].wait('another')).to.equal(0);
    await limits[1].succeeded('person');
    expect(await limits[1].wait('person')).to.equal(0);
    expect(await limits[0].attempt('person')).to.equal(0);
  });

  it('is how many requests came in a minute', async () => {
    const limits = [
      createRateLimit({ name: 'shared', redis: await connected() }),
      createRateLimit({ name: 'shared', redis: await connected() }),
    ] as const;
    await limits[0].consume('caller', 2);
    await limits[1].consume('caller', 2);
    expect(await rejection(limits[0].consume('caller', 2))).to.include({ code: 'RATE_LIMITED' });
  });

  it('O12: takes an attempt back where it was counted, and gives no credit', async () => {
    const [one, another] = await Promise.all(
      [250, 250].map(async (commandTimeoutMs) =>
        createRedisAttemptLimits({ redis: await connected(commandTimeoutMs), attempts: 2 }),
      ),
    );
    if (one === undefined || another === undefined) throw new Error('Two were made.');
    server?.freeze();
    try {
      expect(await one.attempt('taken back')).to.equal(0);
      expect(await one.attempt('taken back')).to.equal(0);
    } finally {
      server?.thaw();
    }
    await one.takeBack('taken back');
    await one.takeBack('taken back');
    await one.takeBack('taken back');
    const waits = [];
    for (let each = 0; each < 3; each += 1) waits.push(await another.attempt('taken back'));
    expect(waits.slice(0, 2)).to.deep.equal([0, 0]);
    expect(waits[2]).to.be.above(0);
    expect(await one.attempt('kept free', 1)).to.equal(0);
    expect(await another.attempt('kept free', 1)).to.be.above(0);
    expect(await another.attempt('kept free')).to.equal(0);
  });

  it('N14: counts places over all processes, and nothing of what is refused', async () => {
    const connections = [await connected(), await connected()] as const;
    const [one, another] = connections.map((redis) =>
      createRedisAttemptLimits({ redis, attempts: 10 }),
    );
    if (one === undefined || another === undefined) throw new Error('Two were made.');
    expect(await one.attempt('places', 0, 7)).to.equal(0);
    expect(await another.attempt('places', 0, 4)).to.be.above(0);
    expect(await another.attempt('places', 0, 3)).to.equal(0);
    expect(await one.attempt('places')).to.be.above(0);
    await another.takeBack('places', 7);
    expect(await one.attempt('places', 0, 7)).to.equal(0);
  });

  it('O5: gives a request back that failed on our side, of all processes', async () => {
    const limit = createRateLimit({ name: 'given back', redis: await connected() });
    const failing = givenBackOnFailure(async () => {
      await limit.consume('caller', 1);
      throw new Error('The log is away.');
    });
    await rejection(failing);
    await limit.consume('caller', 1);
    expect(await rejection(limit.consume('caller', 1))).to.include({ code: 'RATE_LIMITED' });
  });

  it('falls back to what the process saw itself while Redis is silent', async () => {
    const store = await replayStore(250);
    const limits = createRedisAttemptLimits({ redis: await connected(250), attempts: 1 });
    const until = new Date(Date.now() + 60_000);
    server?.freeze();
    try {
      expect(await store.firstUse('silent', until)).to.equal(true);
      expect(await store.firstUse('silent', until)).to.equal(false);
      expect(await limits.attempt('silent')).to.equal(0);
      expect(await limits.attempt('silent')).to.be.greaterThan(0);
      expect(await limits.wait('silent')).to.be.greaterThan(0);
      await limits.succeeded('silent');
      expect(await limits.attempt('silent')).to.equal(0);
      await limits.takeBack('silent');
      expect(await limits.wait('silent')).to.equal(0);
    } finally {
      server?.thaw();
    }
  });
});
