import { expect } from 'chai';
import {
  createRevocationListService,
  createServedRevocationLists,
  ListSuperseded,
} from '../../application/certificate/revocationListService.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type {
  RevocationList,
  RevocationListStore,
  RevocationState,
} from '../../application/certificate/ports/revocationLists.ts';
import { revocationListTopic } from '../../domain/shared/streams.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { rejection } from '../support/assertions/rejection.ts';

const HOUR = 3_600_000;

/** The store's contract in a map. */
function memoryStore(): Omit<RevocationListStore, 'nextUpdates'> & {
  newestList: RevocationList | null;
} {
  const store = {
    newestList: null as RevocationList | null,
    newest: () => Promise.resolve(store.newestList),
    newestHead: () => Promise.resolve(store.newestList),
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

describe('The revocation list service', () => {
  function open(start?: string) {
    const clock = manualClock(start);
    const lists = memoryStore();
    const shown: string[] = [];
    const world = { clock, lists, shown, failSigning: false, dropped: [] as Date[] };
    const service = createRevocationListService({
      authority: 'personal',
      clock,
      lists,
      validityMs: 24 * HOUR,
      log: { info: () => undefined },
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
    return { service, ...world, world };
  }

  it('F2: makes no two lists of one second, whose dates readers could not tell apart', async () => {
    const { service, clock, lists } = open('2026-06-01T00:00:00.100Z');
    await service.publish();
    const first = lists.newestList?.thisUpdate.getTime() ?? 0;
    service.apply(state);
    clock.advance(800);
    expect(service.isDue()).to.equal(false);
    clock.advance(100);
    expect(service.isDue()).to.equal(true);
    await service.publish();
    expect(lists.newestList?.thisUpdate.getTime()).to.equal(first + 1000);
  });

  it('F2: dates the list of a process that takes over later than the last one', async () => {
    const { lists, service } = open('2026-06-01T00:00:00.100Z');
    await service.publish();
    const other = open('2026-06-01T00:00:00.500Z');
    other.lists.newestList = lists.newestList;
    await other.service.publish();
    expect(other.lists.newestList?.thisUpdate.toISOString()).to.equal('2026-06-01T00:00:01.000Z');
  });

  it('F18: dates no list earlier than the last, of a process whose clock is ahead', async () => {
    const { lists, service } = open('2026-06-01T00:00:05.000Z');
    await service.publish();
    const other = open('2026-06-01T00:00:02.000Z');
    other.lists.newestList = lists.newestList;
    await other.service.publish();
    expect(other.lists.newestList?.thisUpdate.toISOString()).to.equal('2026-06-01T00:00:06.000Z');
  });

  it('dates a list by its own clock after one of days ahead, which nobody takes yet', async () => {
    const { lists, service } = open('2026-06-03T00:00:00.000Z');
    await service.publish();
    const other = open('2026-06-01T00:00:02.000Z');
    other.lists.newestList = lists.newestList;
    await other.service.publish();
    expect(other.lists.newestList?.thisUpdate.toISOString()).to.equal('2026-06-01T00:00:02.000Z');
    expect(other.lists.newestList?.number).to.equal((lists.newestList?.number ?? 0n) + 1n);
  });

  it('publishes at once', async () => {
    const { service, lists } = open('2026-06-01T00:00:00.900Z');
    expect(service.isDue()).to.equal(true);
    await service.publish();
    expect(service.isDue()).to.equal(false);
    expect(lists.newestList?.thisUpdate.toISOString()).to.equal('2026-06-01T00:00:00.000Z');
    expect(lists.newestList?.nextUpdate.toISOString()).to.equal('2026-06-02T00:00:00.000Z');
  });

  it('publishes anew at a quarter of the life of the list', async () => {
    const { service, clock } = open();
    await service.publish();
    clock.advance(6 * HOUR - 1);
    expect(service.isDue()).to.equal(false);
    clock.advance(1);
    expect(service.isDue()).to.equal(true);
  });

  it('collects revocations for half a second', async () => {
    const { service, clock, lists } = open();
    await service.publish();
    clock.advance(60_000);
    service.apply(state);
    expect(service.isDue()).to.equal(false);
    clock.advance(400);
    service.apply({ ...state, serial: '0b' });
    clock.advance(100);
    expect(service.isDue()).to.equal(true);
    await service.publish();
    expect(lists.newestList?.der.toString()).to.equal('0a,0b');
    clock.advance(HOUR);
    expect(service.isDue()).to.equal(false);
  });

  it('numbers on from the newest list there is', async () => {
    const { service, lists, clock } = open();
    const future = BigInt(Math.floor(clock.now().getTime() / 1000)) + 1000n;
    const [thisUpdate, nextUpdate] = [clock.now(), clock.now()];
    const der = Buffer.alloc(0);
    await lists.keep({ authority: 'personal', number: future, thisUpdate, nextUpdate, der });
    await service.publish();
    expect(lists.newestList?.number).to.equal(future + 1n);
    await service.publish();
    expect(lists.newestList?.number).to.equal(future + 2n);
  });

  it('numbers no lower than the time, should the newest list be from a backup', async () => {
    const { service, lists, clock } = open();
    await service.publish();
    expect(lists.newestList?.number).to.equal(BigInt(clock.now().getTime() / 1000));
  });

  it('stays due when it could not be signed', async () => {
    const { service, world, clock, lists } = open();
    await service.publish();
    service.apply(state);
    clock.advance(1000);
    world.failSigning = true;
    expect(await rejection(service.publish())).to.be.instanceOf(Unavailable);
    expect(service.isDue()).to.equal(true);
    world.failSigning = false;
    await service.publish();
    expect(lists.newestList?.der.toString()).to.equal('0a');
  });

  it('gives up when another process was faster', async () => {
    const { service, lists } = open();
    const keep = lists.keep.bind(lists);
    lists.keep = async (list) => {
      await keep({ ...list, number: list.number + 5n });
      return keep(list);
    };
    expect(await rejection(service.publish())).to.be.instanceOf(ListSuperseded);
  });

  it('keeps entries a week beyond the end of their certificates', async () => {
    const { service, world } = open('2026-06-08T00:00:00.000Z');
    await service.publish();
    expect(world.dropped.map((time) => time.toISOString())).to.deep.equal([
      '2026-06-01T00:00:00.000Z',
    ]);
  });
});

describe('Served revocation lists', () => {
  const newList = (number: bigint): RevocationList => ({
    authority: 'personal',
    number,
    der: Buffer.alloc(1),
    thisUpdate: new Date(),
    nextUpdate: new Date(),
  });

  function open() {
    const feed = createNotificationHub();
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
    const announce = () => feed.notify([revocationListTopic('personal')]);
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
    feed.notifyAll();
    await new Promise(setImmediate);
    expect((await served.newest('personal')).number).to.equal(3n);
  });

  it('stay in service while the database is unavailable, and are read when it is back', async () => {
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
