import { expect } from 'chai';
import {
  createRevocationListDesk,
  ListSuperseded,
} from '../../application/certificate/revocationListDesk.ts';
import { createServedRevocationLists } from '../../application/certificate/servedRevocationLists.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type {
  RevocationList,
  RevocationListStore,
  RevocationState,
} from '../../application/ports/revocationLists.ts';
import { revocationListTopic } from '../../application/ports/wake.ts';
import { createWakeHub } from '../../infrastructure/postgres/wakeHub.ts';
import { manualClock } from '../support/memoryPorts.ts';
import { rejection } from '../support/rejection.ts';

const HOUR = 3_600_000;

/** The store's contract in a map. */
function memoryStore(): RevocationListStore & { newestList: RevocationList | null } {
  const store = {
    newestList: null as RevocationList | null,
    newest: () => Promise.resolve(store.newestList),
    newestNumber: () => Promise.resolve(store.newestList?.number ?? null),
    keep: (list: RevocationList) => {
      if (store.newestList !== null && store.newestList.number >= list.number) {
        return Promise.resolve(false);
      }
      store.newestList = list;
      return Promise.resolve(true);
    },
  };
  return store;
}

const state: RevocationState = {
  serial: '0a',
  authority: 'personal',
  state: 'revoked',
  reason: 1,
  revokedAt: '2026-06-01T00:00:00Z',
  notAfter: '2029-01-01T00:00:00Z',
};

describe('The desk of a revocation list', () => {
  function open(start?: string) {
    const clock = manualClock(start);
    const lists = memoryStore();
    const shown: string[] = [];
    const world = { clock, lists, shown, failSigning: false, dropped: [] as Date[] };
    const desk = createRevocationListDesk({
      authority: 'personal',
      ...{ clock, lists, validityMs: 24 * HOUR, onPublished: () => undefined },
      builder: {
        load: ({ serial }) => shown.push(serial),
        apply: ({ serial }) => shown.push(serial),
        dropEndedBefore: (time) => world.dropped.push(time),
        get size() {
          return shown.length;
        },
        sign: () =>
          world.failSigning
            ? Promise.reject(new Unavailable('keyVault'))
            : Promise.resolve(Buffer.from(shown.join())),
      },
    });
    return { desk, ...world, world };
  }

  it('publishes at once', async () => {
    const { desk, lists } = open('2026-06-01T00:00:00.900Z');
    expect(desk.isDue()).to.equal(true);
    await desk.publish();
    expect(desk.isDue()).to.equal(false);
    expect(lists.newestList?.thisUpdate.toISOString()).to.equal('2026-06-01T00:00:00.000Z');
    expect(lists.newestList?.nextUpdate.toISOString()).to.equal('2026-06-02T00:00:00.000Z');
  });

  it('publishes anew at a quarter of the life of the list', async () => {
    const { desk, clock } = open();
    await desk.publish();
    clock.advance(6 * HOUR - 1);
    expect(desk.isDue()).to.equal(false);
    clock.advance(1);
    expect(desk.isDue()).to.equal(true);
  });

  it('collects revocations for half a second', async () => {
    const { desk, clock, lists } = open();
    await desk.publish();
    clock.advance(60_000);
    desk.apply(state);
    expect(desk.isDue()).to.equal(false);
    clock.advance(400);
    desk.apply({ ...state, serial: '0b' });
    clock.advance(100);
    expect(desk.isDue()).to.equal(true);
    await desk.publish();
    expect(lists.newestList?.der.toString()).to.equal('0a,0b');
    clock.advance(HOUR);
    expect(desk.isDue()).to.equal(false);
  });

  it('numbers on from the newest list there is', async () => {
    const { desk, lists, clock } = open();
    const future = BigInt(Math.floor(clock.now().getTime() / 1000)) + 1000n;
    const [thisUpdate, nextUpdate] = [clock.now(), clock.now()];
    const der = Buffer.alloc(0);
    await lists.keep({ authority: 'personal', number: future, thisUpdate, nextUpdate, der });
    await desk.publish();
    expect(lists.newestList?.number).to.equal(future + 1n);
    await desk.publish();
    expect(lists.newestList?.number).to.equal(future + 2n);
  });

  it('numbers no lower than the time, should the newest list be from a backup', async () => {
    const { desk, lists, clock } = open();
    await desk.publish();
    expect(lists.newestList?.number).to.equal(BigInt(clock.now().getTime() / 1000));
  });

  it('stays due when it could not be signed', async () => {
    const { desk, world, clock, lists } = open();
    await desk.publish();
    desk.apply(state);
    clock.advance(1000);
    world.failSigning = true;
    expect(await rejection(desk.publish())).to.be.instanceOf(Unavailable);
    expect(desk.isDue()).to.equal(true);
    world.failSigning = false;
    await desk.publish();
    expect(lists.newestList?.der.toString()).to.equal('0a');
  });

  it('gives up when another process was faster', async () => {
    const { desk, lists } = open();
    const keep = lists.keep.bind(lists);
    lists.keep = async (list) => {
      await keep({ ...list, number: list.number + 5n });
      return keep(list);
    };
    expect(await rejection(desk.publish())).to.be.instanceOf(ListSuperseded);
  });

  it('keeps entries a week beyond the end of their certificates', async () => {
    const { desk, world } = open('2026-06-08T00:00:00.000Z');
    await desk.publish();
    expect(world.dropped.map((time) => time.toISOString())).to.deep.equal([
      '2026-06-01T00:00:00.000Z',
    ]);
  });
});

describe('Served revocation lists', () => {
  const newList = (number: bigint): RevocationList => ({
    ...{ authority: 'personal', number, der: Buffer.alloc(1) },
    ...{ thisUpdate: new Date(), nextUpdate: new Date() },
  });

  function open() {
    const feed = createWakeHub();
    const store = memoryStore();
    const world = { reads: 0, away: false };
    const served = createServedRevocationLists({
      feed,
      store: {
        newest: () => {
          world.reads += 1;
          return world.away
            ? Promise.reject(new Unavailable('database'))
            : Promise.resolve(store.newestList);
        },
      },
    });
    const announce = () => feed.wake([revocationListTopic('personal')]);
    return { feed, store, world, served, announce };
  }

  it('are read once, whoever asks', async () => {
    const { served, store, world } = open();
    store.newestList = newList(1n);
    const both = await Promise.all([served.newest('personal'), served.newest('personal')]);
    await served.newest('personal');
    expect(both.map(({ number }) => number)).to.deep.equal([1n, 1n]);
    expect(world.reads).to.equal(1);
  });

  it('are read again when a new one was announced, or announcements may have been missed', async () => {
    const { served, store, announce, feed } = open();
    store.newestList = newList(1n);
    await served.newest('personal');
    store.newestList = newList(2n);
    announce();
    await new Promise(setImmediate);
    expect((await served.newest('personal')).number).to.equal(2n);
    store.newestList = newList(3n);
    feed.wakeAll();
    await new Promise(setImmediate);
    expect((await served.newest('personal')).number).to.equal(3n);
  });

  it('stay in service while the database is away, and are read when it is back', async () => {
    const { served, store, announce, world } = open();
    store.newestList = newList(1n);
    await served.newest('personal');
    store.newestList = newList(2n);
    world.away = true;
    announce();
    await new Promise(setImmediate);
    expect((await served.newest('personal')).number).to.equal(1n);
    await new Promise(setImmediate);
    world.away = false;
    await served.newest('personal');
    await new Promise(setImmediate);
    expect((await served.newest('personal')).number).to.equal(2n);
  });

  it('are unavailable before the first, and served from then on', async () => {
    const { served, store } = open();
    expect(await rejection(served.newest('personal'))).to.be.instanceOf(Unavailable);
    store.newestList = newList(1n);
    expect((await served.newest('personal')).number).to.equal(1n);
  });
});
