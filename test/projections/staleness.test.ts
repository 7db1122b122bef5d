import { expect } from 'chai';
import { createStalenessWatch } from '../../projections/engine/staleness.ts';
import { citizensReadModel } from '../../projections/models/citizens.ts';
import { sessionsReadModel } from '../../projections/models/sessions.ts';
import { recordable, sessionStarted } from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

describe('How far read models are behind the log', () => {
  const names = [sessionsReadModel.name, citizensReadModel.name];
  let side: ReadSide;
  let time: number;
  let isLogAway: boolean;
  let isActive: boolean;
  let stop: () => Promise<void> = () => Promise.resolve();

  beforeEach(async () => {
    side = await openReadSide();
    [time, isLogAway, isActive] = [0, false, true];
  });

  afterEach(async () => {
    await stop();
    await side.close();
  });

  /** A watch with a bound of ten seconds on a clock turned by hand. */
  async function watch() {
    const looked = { times: 0 };
    const created = createStalenessWatch({
      database: side.database,
      eventStore: {
        head: () =>
          isLogAway ? Promise.reject(new Error('The log is unavailable.')) : side.eventStore.head(),
      },
      names,
      findProjectors: () => Promise.resolve(isActive ? ['host:1'] : []),
      maxMs: 10_000,
      everyMs: 5,
      now: () => time,
    });
    created.onLook(() => (looked.times += 1));
    stop = () => created.stop();
    await created.start();
    /** Two looks: the first may have begun before what the test did. */
    const look = async () => {
      const until = looked.times + 2;
      while (looked.times < until) await new Promise(setImmediate);
    };
    return { ...created, look };
  }

  const append = (id: string) =>
    side.eventStore.append(`session-${id}`, [recordable(sessionStarted(id))], 'none');

  async function projected(name: string): Promise<void> {
    const position = await side.eventStore.head();
    await side.database
      .insertInto('checkpoint')
      .values({ name, position })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ position }))
      .execute();
  }

  it('is unknown, and so stale, when they were behind at the first look', async () => {
    await append('6f9619ff-8b86-4011-b42d-00cf4fc964ff');
    const { isStale, look } = await watch();
    expect(isStale('sessions')).to.equal(true);
    await projected('sessions');
    await look();
    expect(isStale('sessions')).to.equal(false);
    expect(isStale('citizens'), 'the other').to.equal(true);
  });

  it('is waited for at the start while a process projects', async () => {
    await append('6f9619ff-8b86-4011-b42d-00cf4fc964ff');
    const { untilKnown, isStale, look } = await watch();
    let isKnown = false;
    const waiting = untilKnown(false).then(() => (isKnown = true));
    await look();
    expect(isKnown).to.equal(false);
    for (const name of names) await projected(name);
    await waiting;
    expect(names.filter(isStale)).to.deep.equal([]);
  });

  it('is not waited for at the start when no process projects', async () => {
    isActive = false;
    await append('6f9619ff-8b86-4011-b42d-00cf4fc964ff');
    const { untilKnown, isStale } = await watch();
    await untilKnown(false);
    expect(names.filter(isStale)).to.deep.equal(names);
  });

  it('is measured from when the log was first seen beyond them', async () => {
    const { isStale, lagMs, check, look } = await watch();
    await look();
    time = 2;
    await append('6f9619ff-8b86-4011-b42d-00cf4fc964ff');
    await look();
    time = 9_000;
    await look();
    expect([isStale('sessions'), lagMs('sessions')]).to.deep.equal([false, 8_998]);
    await check();
    time = 12_000;
    await projected('citizens');
    await look();
    expect([isStale('sessions'), isStale('citizens')]).to.deep.equal([true, false]);
    expect([lagMs('sessions'), lagMs('citizens')]).to.deep.equal([11_998, 0]);
    const failed = await check().catch((error: unknown) => error);
    expect(failed)
      .to.have.property('message')
      .that.matches(/sessions/);
  });

  it('is stale after the bound when the log cannot be read, and nothing is covered then', async () => {
    const { isStale, covers, look } = await watch();
    const head = await side.eventStore.head();
    await look();
    isLogAway = true;
    time = 9_000;
    expect([isStale('sessions'), covers(head)]).to.deep.equal([false, true]);
    time = 11_000;
    expect([isStale('sessions'), covers(head)]).to.deep.equal([true, false]);
    isLogAway = false;
    await look();
    expect([isStale('sessions'), covers(head)]).to.deep.equal([false, true]);
  });

  it('names the processes that project, and fails its check without one', async () => {
    const { projectors, check, look } = await watch();
    expect(projectors()).to.deep.equal(['host:1']);
    isActive = false;
    await look();
    expect(projectors()).to.deep.equal([]);
    const failed = await check().catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'No process projects.');
  });
});
