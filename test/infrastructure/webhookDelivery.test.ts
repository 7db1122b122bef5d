import { expect } from 'chai';
import type pg from 'pg';
import type { Jobs } from '../../application/reactors/ports/jobs.ts';
import {
  createWebhookDelivery,
  wake,
  webhookChannel,
  webhookJob,
} from '../../application/webhooks/deliverWebhooks.ts';
import { resendWebhooks } from '../../application/webhooks/ownWebhooks.ts';
import type { Webhook } from '../../domain/relyingParty/webhooks.ts';
import { createWebhookSweep } from '../../application/webhooks/tellRelyingParties.ts';
import type {
  SendOutcome,
  SendWebhook,
  WebhookMessage,
} from '../../application/webhooks/ports/webhooks.ts';
import type { AccessEvent } from '../../domain/access/events.ts';
import { createBullmqJobs } from '../../infrastructure/jobs/bullmqJobs.ts';
import { createInProcessJobs } from '../../infrastructure/jobs/inProcessJobs.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresWebhookOutbox } from '../../infrastructure/postgres/webhooks.ts';
import { systemClock, systemRandomness } from '../../infrastructure/system.ts';
import { newWebhookKey } from '../../infrastructure/webhooks/standardWebhooks.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { memoryDeliveries } from '../support/doubles/memoryDeliveries.ts';
import { startProxy } from '../support/doubles/proxy.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { startRedis } from '../support/programs/redis.ts';

const relyingPartyId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const address = 'https://rp.example/events';
const toAll = (to: string): Webhook => ({ address: to, events: [] });
const queue = { relyingPartyId, address };

/** Time after which another process takes over what a killed one did, ms. */
const LEASE_MS = 500;

interface OpenedJobs {
  readonly jobs: Jobs;
  /** Cuts the process off from where the jobs are, beside its pool. */
  readonly kill: () => unknown;
}

describe('The delivery of events to relying parties', () => {
  let url: string;
  let pool: pg.Pool;
  const stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    url = await migratedDatabase();
  });

  beforeEach(async () => {
    pool = createPool({ url, max: 3 });
    await pool.query('truncate webhook_delivery, webhook_address, job');
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    if (!pool.ended) await pool.end();
  });

  const message = (subject: string, number: number): WebhookMessage => ({
    ...queue,
    id: `${subject} ${number}`,
    subject,
    type: 'right.changed',
    body: `{"n":${number}}`,
  });

  interface World {
    readonly send: SendWebhook;
    readonly webhooks?: readonly string[];
    /** False: the read model of relying parties is being made anew. */
    readonly shows?: boolean;
  }

  /** Delivery by hand, on a clock that the test moves. */
  function byHand({ send, webhooks = [address], shows = true }: World) {
    const { clock, jobs, undelivered, queued, shown, run } = memoryDeliveries();
    const outbox = createPostgresWebhookOutbox(pool);
    const recorded: AccessEvent[] = [];
    const registered = webhooks.map(toAll);
    const subscriber = { relyingPartyId, webhooks: registered, sealsFor: [] };
    const channel = webhookChannel({
      subscribers: {
        all: () => Promise.resolve(shows ? [{ ...subscriber, smartIdStatuses: false }] : []),
      },
      referenceData: {
        relyingParty: () => Promise.resolve({ active: true, webhooks: registered }),
      },
      keys: { inForce: () => Promise.resolve([newWebhookKey()]) },
      send,
      clock,
    });
    const common = {
      outbox,
      channels: [channel],
      undelivered,
      jobs,
      clock,
      randomness: systemRandomness,
      accessLog: (event: AccessEvent) => {
        recorded.push(event);
        return Promise.resolve();
      },
    };
    jobs.handle(
      webhookJob,
      createWebhookDelivery({
        ...common,
        onFailed: () => undefined,
      }),
    );
    async function tell(...messages: readonly WebhookMessage[]) {
      await outbox.add(messages, clock.now());
      await jobs.enqueue(...messages.map((each) => wake(each, each.id)));
    }
    const states = async () =>
      Object.fromEntries((await outbox.shown(relyingPartyId)).map(({ id, state }) => [id, state]));
    const resend = (id: string | null) =>
      resendWebhooks(
        {
          ...common,
          keys: {
            inForce: () => Promise.reject(new Error()),
            rotate: () => Promise.reject(new Error()),
          },
        },
        relyingPartyId,
        id,
      );
    /** Has the sweep look once. */
    async function sweepOnce() {
      const outcome: unknown[] = [];
      const sweep = createWebhookSweep({
        ...common,
        outbox: {
          ...outbox,
          due: async (now) => {
            const due = await outbox.due(now);
            outcome.push(due);
            return due;
          },
        },
        everyMs: 60_000,
        onFailure: (_name, cause) => outcome.push(cause),
        leaderLock: {
          runWhileHolding: (_name, run) => {
            const end = new AbortController();
            const done = run(end.signal);
            return {
              stop: async () => {
                end.abort();
                await done;
              },
            };
          },
        } as Parameters<typeof createWebhookSweep>[0]['leaderLock'],
      });
      sweep.start();
      await eventually(() => expect(outcome).to.have.length(1));
      await sweep.stop();
      expect(outcome[0]).to.be.an('array');
    }
    return {
      clock,
      jobs,
      outbox,
      queued,
      shown,
      run,
      tell,
      states,
      resend,
      recorded,
      registered,
      sweepOnce,
    };
  }

  /** Takes what it is sent, but what `refuse` answers otherwise. */
  function receiver(refuse: (id: string) => SendOutcome | null = () => null) {
    const taken: string[] = [];
    const send: SendWebhook = ({ id }) => {
      const outcome = refuse(id);
      if (outcome === null) taken.push(id);
      return Promise.resolve(outcome ?? { kind: 'TAKEN' });
    };
    return { taken, send };
  }

  it('sends each once, of one subject in their order', async () => {
    const { taken, send } = receiver();
    const { tell, run, queued, states } = byHand({ send });
    await tell(message('a', 1), message('b', 1), message('a', 2));
    await tell(message('a', 3));
    while (queued.length > 0) await run();
    expect(taken.filter((id) => id.startsWith('a'))).to.deep.equal(['a 1', 'a 2', 'a 3']);
    expect(taken).to.have.length(4);
    expect(new Set(Object.values(await states()))).to.deep.equal(new Set(['DELIVERED']));
  });

  it('keeps back what follows one that is refused, and nothing else, and tries it again with growing delays', async () => {
    let isRefused = true;
    const { taken, send } = receiver((id) =>
      id === 'a 1' && isRefused ? { kind: 'REFUSED', reason: 'HTTP 500.' } : null,
    );
    const { tell, run, queued, shown } = byHand({ send });
    await tell(message('a', 1), message('a', 2), message('b', 1));
    const waits: number[] = [];
    while (waits.length < 3) {
      const wait = await run();
      if (wait > 0) waits.push(wait);
    }
    expect(taken).to.deep.equal(['b 1']);
    expect(waits).to.deep.equal([5_000, 10_000, 20_000]);
    expect(shown.get('a 1')).to.include({ kind: 'WEBHOOK', reason: 'HTTP 500.', isGivenUp: false });
    isRefused = false;
    while (queued.length > 0) await run();
    expect(taken).to.deep.equal(['b 1', 'a 1', 'a 2']);
    expect(shown.size).to.equal(0);
  });

  it('leaves an address alone that does not answer, whatever comes meanwhile', async () => {
    let asked = 0;
    const { taken, send } = receiver(() => {
      asked += 1;
      return asked > 1 ? null : { kind: 'UNREACHABLE', reason: 'No connection (ECONNREFUSED).' };
    });
    const { tell, run, queued, clock } = byHand({ send });
    await tell(message('a', 1));
    await run();
    const [retry = expect.fail()] = queued.splice(0);
    expect((retry.runAt?.getTime() ?? 0) - clock.now().getTime()).to.equal(5_000);
    await tell(message('b', 1), message('c', 1));
    await run();
    await run();
    expect(asked).to.equal(1);
    while (queued.length > 0) await run();
    expect([...taken].sort()).to.deep.equal(['a 1', 'b 1', 'c 1']);
  });

  it('gives up after a day, with an event, and sends again when asked to', async () => {
    let isRefused = true;
    const { taken, send } = receiver(() =>
      isRefused ? { kind: 'REFUSED', reason: 'HTTP 400.' } : null,
    );
    const { tell, run, queued, states, shown, recorded, resend, clock } = byHand({ send });
    await tell(message('a', 1));
    const began = clock.now().getTime();
    while (queued.length > 0) await run();
    expect(clock.now().getTime() - began).to.be.within(86_400_000, 2 * 86_400_000);
    expect(await states()).to.deep.equal({ 'a 1': 'DEAD' });
    expect(shown.get('a 1')).to.include({ isGivenUp: true });
    expect(recorded.map(({ type, data }) => ({ type, data }))).to.deep.equal([
      {
        type: 'WebhookUndelivered',
        data: {
          relyingPartyId,
          messageId: 'a 1',
          type: 'right.changed',
          since: new Date(began).toISOString(),
          givenUpAt: clock.now().toISOString(),
        },
      },
    ]);
    isRefused = false;
    expect(await resend('of another')).to.equal(0);
    expect(await resend('a 1')).to.equal(1);
    expect(shown.size).to.equal(0);
    while (queued.length > 0) await run();
    expect([taken, await states()]).to.deep.equal([['a 1'], { 'a 1': 'DELIVERED' }]);
  });

  it('ends an address that is gone, until something is sent there again by hand', async () => {
    let isGone = true;
    let asked = 0;
    const { taken, send } = receiver(() => {
      asked += 1;
      return isGone ? { kind: 'GONE' } : null;
    });
    const { tell, run, queued, states, resend } = byHand({ send });
    await tell(message('a', 1), message('a', 2));
    while (queued.length > 0) await run();
    await tell(message('b', 1));
    while (queued.length > 0) await run();
    expect(asked).to.equal(1);
    expect(await states()).to.deep.equal({ 'a 1': 'DEAD', 'a 2': 'DEAD', 'b 1': 'DEAD' });
    isGone = false;
    expect(await resend(null)).to.equal(3);
    await tell(message('c', 1));
    while (queued.length > 0) await run();
    expect([...taken].sort()).to.deep.equal(['a 1', 'a 2', 'b 1', 'c 1']);
  });

  it('sends nothing to an address that was taken away', async () => {
    const { taken, send } = receiver();
    const { tell, run, states } = byHand({ send, webhooks: ['https://rp.example/new'] });
    await tell(message('a', 1));
    await run();
    expect([taken, await states()]).to.deep.equal([[], { 'a 1': 'DEAD' }]);
  });

  it('sends to an address that the read model does not show yet', async () => {
    const { taken, send } = receiver();
    const { tell, run } = byHand({ send, shows: false });
    await tell(message('a', 1));
    await run();
    expect(taken).to.deep.equal(['a 1']);
  });

  it('has one job alone for a retry, however much comes meanwhile', async () => {
    const { send } = receiver((id) =>
      id === 'a 1' ? { kind: 'REFUSED', reason: 'HTTP 500.' } : null,
    );
    const { tell, run, queued } = byHand({ send });
    await tell(message('a', 1));
    await run();
    const retries = queued.splice(0).map(({ id }) => id);
    for (const subject of ['b', 'c', 'd']) {
      await tell(message(subject, 1));
      await run();
      retries.push(...queued.splice(0).map(({ id }) => id));
    }
    expect(retries).to.have.length(4);
    expect(new Set(retries).size).to.equal(1);
  });

  it('leaves the place of an address that is slow to others', async () => {
    const taken: string[] = [];
    const { tell, run, queued, clock, registered } = byHand({
      send: ({ id }) => {
        clock.advance(9_500);
        taken.push(id);
        if (taken.length === 4) registered.splice(0);
        return Promise.resolve({ kind: 'TAKEN' });
      },
    });
    await tell(...Array.from({ length: 9 }, (_, index) => message('a', index + 1)));
    queued.splice(1);
    await run();
    expect(taken).to.deep.equal(['a 1', 'a 2']);
    expect(queued).to.have.length(1);
    expect((queued[0]?.runAt?.getTime() ?? 0) - clock.now().getTime()).to.be.within(1_000, 2_000);
    while (queued.length > 0) await run();
    expect(taken).to.have.length(4);
  });

  it('sends nothing more to an address that is taken away meanwhile', async () => {
    const { taken, send } = receiver((id) => {
      if (id === 'a 2') registered.splice(0);
      return null;
    });
    const { tell, run, queued, registered } = byHand({ send });
    await tell(...Array.from({ length: 4 }, (_, index) => message('a', index + 1)));
    while (queued.length > 0) await run();
    expect(taken).to.deep.equal(['a 1', 'a 2']);
  });

  it('sends to two addresses of one relying party at once, at most', async () => {
    const addresses = [1, 2, 3].map((number) => `https://rp.example/${number}`);
    const answers: ((outcome: SendOutcome) => void)[] = [];
    const { tell, run, queued, clock } = byHand({
      webhooks: addresses,
      send: () => new Promise((resolve) => answers.push(resolve)),
    });
    await tell(...addresses.map((each) => ({ ...message(each, 1), address: each })));
    const first = run();
    const second = run();
    await eventually(() => expect(answers).to.have.length(2));
    await run();
    expect(answers).to.have.length(2);
    expect(queued).to.have.length(1);
    for (const answer of answers.splice(0)) answer({ kind: 'TAKEN' });
    await Promise.all([first, second]);
    const wait = (queued[0]?.runAt?.getTime() ?? 0) - clock.now().getTime();
    expect(wait).to.be.within(1_000, 2_000);
  });

  it('gives up what waits for an address that has not answered for a day, recorded once', async () => {
    const { send } = receiver(() => ({ kind: 'UNREACHABLE', reason: 'No connection.' }));
    const { tell, run, queued, states, sweepOnce, recorded, clock, shown } = byHand({ send });
    const old = Array.from({ length: 20 }, (_, index) => message(`s${index}`, 1));
    await tell(...old);
    const day = clock.now().getTime() + 86_400_000;
    await run();
    while ((queued.at(-1)?.runAt?.getTime() ?? 0) < day) {
      queued.splice(0, queued.length - 1);
      await run();
    }
    await tell(message('young', 1));
    await sweepOnce();
    expect(new Set(Object.values(await states()))).to.deep.equal(new Set(['WAITING']));
    clock.advance(day - clock.now().getTime());
    await sweepOnce();
    const { 'young 1': young, ...others } = await states();
    expect(young).to.equal('WAITING');
    expect(new Set(Object.values(others))).to.deep.equal(new Set(['DEAD']));
    expect(recorded.map(({ data }) => data)).to.have.length(1);
    expect(recorded[0]?.data).to.include({ messageId: 's0 1' });
    expect(Array.from(shown.values(), ({ isGivenUp }) => isGivenUp)).to.deep.equal(
      Array<boolean>(8).fill(true),
    );
    await sweepOnce();
    expect(recorded).to.have.length(1);
  });

  it('tries several times after an outage of more than a day', async () => {
    let asked = 0;
    const { send } = receiver(() => {
      asked += 1;
      return { kind: 'REFUSED', reason: 'HTTP 500.' };
    });
    const { tell, run, queued, states, clock, sweepOnce, outbox } = byHand({ send });
    await tell(message('a', 1));
    clock.advance(2 * 86_400_000);
    await sweepOnce();
    await run();
    await outbox.failed(queue, clock.now());
    await sweepOnce();
    expect(await states()).to.deep.equal({ 'a 1': 'WAITING' });
    queued.splice(0, queued.length - 1);
    while (queued.length > 0) await run();
    expect([asked, await states()]).to.deep.equal([5, { 'a 1': 'DEAD' }]);
  });

  for (const kind of ['UNREACHABLE', 'REFUSED'] as const) {
    it(`has a day anew after an outage that followed five failures: ${kind}`, async () => {
      let asked = 0;
      const { send } = receiver(() => {
        asked += 1;
        return { kind, reason: 'A failure.' };
      });
      const { tell, run, queued, states, clock, sweepOnce } = byHand({ send });
      await tell(message('a', 1));
      while (asked < 5) {
        queued.splice(0, queued.length - 1);
        await run();
      }
      clock.advance(86_400_000);
      await sweepOnce();
      const since = clock.now().getTime();
      queued.splice(0, queued.length - 1);
      while (queued.length > 0) {
        await run();
        await sweepOnce();
      }
      expect(await states()).to.deep.equal({ 'a 1': 'DEAD' });
      expect(clock.now().getTime() - since).to.be.within(86_400_000, 90_000_000);
    });
  }

  it('shows what was tried before its address was gone as given up', async () => {
    let isGone = false;
    const { send } = receiver(() =>
      isGone ? { kind: 'GONE' } : { kind: 'REFUSED', reason: 'HTTP 500.' },
    );
    const { tell, run, queued, shown, recorded, states } = byHand({ send });
    await tell(message('a', 1));
    await run();
    isGone = true;
    queued.splice(0);
    await tell(message('b', 1));
    await run();
    expect(await states()).to.deep.equal({ 'a 1': 'DEAD', 'b 1': 'DEAD' });
    expect(shown.get('a 1')).to.include({ isGivenUp: true });
    expect(recorded.map(({ data }) => data)).to.have.length(1);
  });

  it('notes that a message was taken although its address has ended meanwhile', async () => {
    const { tell, run, states, outbox, clock } = byHand({
      send: async ({ address }) => {
        const later = new Date(clock.now().getTime() + 120_000);
        await outbox.end({ relyingPartyId, address }, { reason: '', before: later }, later);
        return { kind: 'TAKEN' };
      },
    });
    await tell(message('a', 1));
    await run();
    expect(await states()).to.deep.equal({ 'a 1': 'DELIVERED' });
  });

  it('begins anew with an address that was taken away and is added again', async () => {
    let isGone = true;
    const { taken, send } = receiver(() => (isGone ? { kind: 'GONE' } : null));
    const { tell, run, queued, registered, sweepOnce } = byHand({ send });
    await tell(message('a', 1));
    await run();
    isGone = false;
    await sweepOnce();
    await tell(message('b', 1));
    while (queued.length > 0) await run();
    expect(taken).to.deep.equal([]);
    registered.splice(0);
    await sweepOnce();
    registered.push(toAll(address));
    await tell(message('c', 1));
    while (queued.length > 0) await run();
    expect(taken).to.deep.equal(['c 1']);
  });

  it('claims from a backlog without comparing it with itself', async function () {
    this.timeout(20_000);
    const outbox = createPostgresWebhookOutbox(pool);
    const now = new Date();
    const backlog = Array.from({ length: 4000 }, (_, number) =>
      message(`s${number % 1000}`, number),
    );
    await outbox.add(backlog, now);
    const claimed: string[] = [];
    // Each of these took seconds, and a backlog grew faster than it was sent.
    for (let round = 0; round < 50; round += 1) {
      const found = await outbox.claim(queue, now);
      claimed.push(...found.map(({ id }) => id));
    }
    expect(claimed).to.have.length(400);
    expect([...claimed].sort()).to.deep.equal(
      backlog
        .slice(0, 400)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('wakes what waits when its job was lost', async () => {
    const { taken, send } = receiver();
    const { outbox, clock, queued, run, sweepOnce } = byHand({ send });
    await outbox.add([message('a', 1)], clock.now());
    await sweepOnce();
    expect(queued).to.have.length(1);
    await run();
    expect(taken).to.deep.equal(['a 1']);
  });

  /** Has two workers deliver, the first of which is killed while it sends. */
  async function expectNoneLost(open: (own: pg.Pool) => OpenedJobs): Promise<void> {
    const subjects = ['a', 'b', 'c', 'd', 'e'];
    const count = 20;
    const arrived: string[] = [];
    let isKilled = false;

    /** A process that delivers, with a pool of its own; ended with that, as by SIGKILL. */
    function worker(send: SendWebhook) {
      const own = createPool({ url, max: 3 });
      const { jobs, kill } = open(own);
      jobs.handle(
        webhookJob,
        createWebhookDelivery({
          jobs,
          outbox: createPostgresWebhookOutbox(own, { leaseMs: LEASE_MS }),
          channels: [
            {
              queues: () => Promise.resolve([queue]),
              open: () => Promise.resolve((message) => send(message, [])),
            },
          ],
          undelivered: { put: () => Promise.resolve(), remove: () => Promise.resolve() },
          accessLog: () => Promise.resolve(),
          clock: systemClock,
          randomness: systemRandomness,
          onFailed: () => undefined,
        }),
      );
      return { own, jobs, kill };
    }

    const doomed = worker(async ({ id }) => {
      if (isKilled) return new Promise(() => undefined);
      arrived.push(id);
      if (arrived.length > 10) {
        isKilled = true;
        void doomed.kill();
        void doomed.own.end();
        return new Promise(() => undefined);
      }
      return Promise.resolve({ kind: 'TAKEN' });
    });
    const survivor = worker(({ id }) => {
      arrived.push(id);
      return Promise.resolve({ kind: 'TAKEN' });
    });
    stops.push(async () => {
      await survivor.jobs.stop();
      await survivor.own.end();
    });

    const outbox = createPostgresWebhookOutbox(pool);
    for (let number = 1; number <= count; number += 1) {
      const messages = subjects.map((subject) => message(subject, number));
      await outbox.add(messages, new Date());
      await survivor.jobs.enqueue(...messages.map((each) => wake(each, each.id)));
    }
    await doomed.jobs.start();
    await eventually(() => expect(isKilled).to.equal(true));
    await survivor.jobs.start();
    await eventually(async () => {
      const shown = await outbox.shown(relyingPartyId);
      expect(shown.filter(({ state }) => state !== 'DELIVERED')).to.deep.equal([]);
    });
    for (const subject of subjects) {
      // Messages that the killed one had sent without noting it come again, before what follows them.
      const first = [...new Set(arrived.filter((id) => id.startsWith(`${subject} `)))];
      const expected = Array.from({ length: count }, (_, index) => `${subject} ${index + 1}`);
      expect(first).to.deep.equal(expected);
    }
  }

  it('loses none and keeps the order with two workers, one of them killed while it sends, by PostgreSQL', async function () {
    this.timeout(60_000);
    await expectNoneLost((own) => ({
      jobs: createInProcessJobs({ pool: own, feed: createNotificationHub(), leaseMs: LEASE_MS }),
      kill: () => undefined,
    }));
  });

  it('loses none and keeps the order with two workers, one of them killed while it sends, by Redis', async function () {
    this.timeout(60_000);
    const redis = await startRedis();
    if (redis === null) {
      console.log('      skipped: there is no redis-server on this machine');
      return this.skip();
    }
    const port = Number(new URL(redis.url).port);
    const proxies = [await startProxy(port), await startProxy(port)];
    stops.push(async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await redis.stop();
    });
    const queueName = systemRandomness.uuid();
    const unused = [...proxies];
    await expectNoneLost(() => {
      const proxy = unused.shift() ?? expect.fail('More processes than proxies.');
      const address = `redis://127.0.0.1:${proxy.port}`;
      const jobs = createBullmqJobs({ url: address, queueName, stopMs: 500, leaseMs: LEASE_MS });
      return {
        jobs,
        kill: () => {
          proxy.cut();
          stops.push(() => jobs.stop().catch(() => undefined));
        },
      };
    });
  });
});
