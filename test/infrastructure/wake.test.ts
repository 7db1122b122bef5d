import { expect } from 'chai';
import pg from 'pg';
import { createWake, type PostgresWake } from '../../infrastructure/postgres/wakeListener.ts';
import { toPayloads, wakeChannel } from '../../application/ports/wakeMessages.ts';
import { createWakeHub } from '../../infrastructure/postgres/wakeHub.ts';
import { eventually } from '../support/eventually.ts';
import { freshDatabase } from '../support/postgres.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Wake', () => {
  it('loses no change for a waiter that registers, reads and waits, whatever the timing', async () => {
    const hub = createWakeHub();
    const done = new Set<string>();

    async function waitFor(id: string) {
      const listener = hub.listen(`session:${id}`);
      try {
        while (!done.has(id)) {
          await turn();
          if (!done.has(id)) await listener.changed;
        }
      } finally {
        listener.cancel();
      }
    }
    async function complete(id: string, turns: number) {
      for (let waited = 0; waited < turns; waited += 1) await turn();
      done.add(id);
      hub.wake([`session:${id}`]);
    }

    await Promise.all(
      Array.from({ length: 5000 }, (_, index) => [
        waitFor(String(index)),
        complete(String(index), index % 7),
      ]).flat(),
    );
    expect(hub.waiting()).to.equal(0);
  });

  it('wakes only those who wait for the topic, each of them', async () => {
    const hub = createWakeHub();
    const woken: string[] = [];
    const note = (name: string, topic: string) =>
      hub.listen(topic).changed.then(() => woken.push(name));
    void note('first', 'session:1');
    void note('second', 'session:1');
    void note('stranger', 'session:2');

    hub.wake(['session:1']);
    await turn();

    expect(woken).to.deep.equal(['first', 'second']);
    expect(hub.waiting()).to.equal(1);
  });

  it('forgets a topic when its last waiter cancels', () => {
    const hub = createWakeHub();
    const first = hub.listen('session:1');
    const second = hub.listen('session:1');
    first.cancel();
    expect(hub.waiting()).to.equal(1);
    second.cancel();
    second.cancel();
    expect(hub.waiting()).to.equal(0);
  });

  it('holds 20,000 waiting topics', async () => {
    const hub = createWakeHub();
    const waiting = Array.from({ length: 20_000 }, (_, index) => hub.listen(`session:${index}`));
    expect(hub.waiting()).to.equal(20_000);
    hub.wakeAll();
    await Promise.all(waiting.map(({ changed }) => changed));
    expect(hub.waiting()).to.equal(0);
  });

  describe('over PostgreSQL', () => {
    let url: string;
    let here: PostgresWake;
    let there: PostgresWake;

    beforeEach(async () => {
      url = await freshDatabase();
      here = createWake({ url });
      there = createWake({ url });
      await Promise.all([here.start(), there.start()]);
    });

    afterEach(() => Promise.all([here.stop(), there.stop()]));

    /** As a projector does. */
    async function announce(...topics: string[]): Promise<void> {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const payload of toPayloads(topics)) {
        await client.query('select pg_notify($1, $2)', [wakeChannel, payload]);
      }
      await client.end();
    }

    it('wakes a waiter in another process', async () => {
      const poll = there.listen('session:1');
      await announce('session:1', 'citizen:2');
      await poll.changed;
    });

    it('tells caches in another process which topics changed', async () => {
      const heard: unknown[] = [];
      there.subscribe((topics) => heard.push(topics));
      await announce('rp:1', 'session:2');
      await eventually(() => expect(heard).to.deep.equal([['rp:1', 'session:2']]));
    });

    it('wakes everyone and clears caches after its connection was lost', async () => {
      const heard: unknown[] = [];
      there.subscribe((topics) => heard.push(topics));
      const poll = there.listen('session:1');
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'tamga-wake'`,
      );
      await admin.end();

      await poll.changed;
      expect(heard).to.deep.equal(['all']);
      const next = there.listen('session:2');
      await eventually(() => expect(there.isListening()).to.equal(true));
      await announce('session:2');
      await next.changed;
    });

    it('starts without a database and still wakes its own process', async () => {
      const alone = createWake({ url: 'postgres://nobody@127.0.0.1:1/none' });
      await alone.start();
      expect(alone.isListening()).to.equal(false);
      const waiter = alone.listen('session:1');
      alone.wake(['session:1']);
      await waiter.changed;
      await alone.stop();
    });
  });
});
