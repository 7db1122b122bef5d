import { expect } from 'chai';
import pg from 'pg';
import {
  createNotifications,
  type PostgresNotifications,
} from '../../infrastructure/postgres/notifications.ts';
import { toPayloads } from '../../projections/engine/batchProjection.ts';
import { notificationChannel } from '../../application/ports/notifications.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Notifications', () => {
  it('loses no change for a waiter that registers, reads and waits, whatever the timing', async () => {
    const hub = createNotificationHub();
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
      hub.notify([`session:${id}`]);
    }

    await Promise.all(
      Array.from({ length: 5000 }, (_, index) => [
        waitFor(String(index)),
        complete(String(index), index % 7),
      ]).flat(),
    );
    expect(hub.waiting()).to.equal(0);
  });

  it('notify only waiters of the topic, each of them', async () => {
    const hub = createNotificationHub();
    const woken: string[] = [];
    const note = (name: string, topic: string) =>
      hub.listen(topic).changed.then(() => woken.push(name));
    void note('first', 'session:1');
    void note('second', 'session:1');
    void note('stranger', 'session:2');

    hub.notify(['session:1']);
    await turn();

    expect(woken).to.deep.equal(['first', 'second']);
    expect(hub.waiting()).to.equal(1);
  });

  it('forgets a topic when its last waiter cancels', () => {
    const hub = createNotificationHub();
    const first = hub.listen('session:1');
    const second = hub.listen('session:1');
    first.cancel();
    expect(hub.waiting()).to.equal(1);
    second.cancel();
    second.cancel();
    expect(hub.waiting()).to.equal(0);
  });

  it('holds 20,000 waiting topics', async () => {
    const hub = createNotificationHub();
    const waiting = Array.from({ length: 20_000 }, (_, index) => hub.listen(`session:${index}`));
    expect(hub.waiting()).to.equal(20_000);
    hub.notifyAll();
    await Promise.all(waiting.map(({ changed }) => changed));
    expect(hub.waiting()).to.equal(0);
  });

  describe('over PostgreSQL', () => {
    let url: string;
    let here: PostgresNotifications;
    let there: PostgresNotifications;

    beforeEach(async () => {
      url = await freshDatabase();
      here = createNotifications({ url });
      there = createNotifications({ url });
      await Promise.all([here.start(), there.start()]);
    });

    afterEach(() => Promise.all([here.stop(), there.stop()]));

    /** Notifies like a projector. */
    async function announce(...topics: string[]): Promise<void> {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const payload of toPayloads(topics)) {
        await client.query('select pg_notify($1, $2)', [notificationChannel, payload]);
      }
      await client.end();
    }

    it('reach a waiter in another process', async () => {
      const poll = there.listen('session:1');
      await announce('session:1', 'citizen:2');
      await poll.changed;
    });

    it('tells caches in another process which topics of theirs changed, and of no others', async () => {
      const heard: unknown[] = [];
      there.subscribe(['rp', 'jobs', 'crl:root'], (topics) => heard.push(topics));
      await announce('session:2');
      await announce('crl:personal');
      await announce('rp:1', 'session:2', 'jobs', 'rpx:1', 'crl:root', 'crl:personal');
      await eventually(() => expect(heard).to.deep.equal([['rp:1', 'jobs', 'crl:root']]));
    });

    it('notify every waiter and clear caches after the connection was lost', async () => {
      const heard: unknown[] = [];
      there.subscribe(['rp'], (topics) => heard.push(topics));
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

    it('start without a database and still reach their own process', async () => {
      const alone = createNotifications({ url: 'postgres://nobody@127.0.0.1:1/none' });
      await alone.start();
      expect(alone.isListening()).to.equal(false);
      const waiter = alone.listen('session:1');
      alone.notify(['session:1']);
      await waiter.changed;
      await alone.stop();
    });
  });
});
