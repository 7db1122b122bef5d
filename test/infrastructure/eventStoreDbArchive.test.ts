import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { archivableLogContract } from '../contracts/archivableLogContract.ts';
import { anEvent, collect, readAll } from '../contracts/eventLogContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { startEventStoreDbDouble } from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { sessionStarted } from '../support/events/exampleEvents.ts';
import { logInEventStoreDb, logOnServers } from '../support/worlds/archivableLogs.ts';
import { type ArchiveSteps, openGivenWorld } from '../support/worlds/archiveSteps.ts';

const serverUrl = process.env['SVC_EVENTSTORE_URL'];

if (serverUrl === undefined) {
  archivableLogContract('EventStoreDB (gRPC double)', logInEventStoreDb);
} else archivableLogContract('EventStoreDB (SVC_EVENTSTORE_URL)', logOnServers(serverUrl));

const openWorld = () => openGivenWorld(logInEventStoreDb);

describe('The archive of a log in EventStoreDB', function () {
  this.timeout(60_000);
  let world: Awaited<ReturnType<typeof openWorld>>['world'];
  let steps: ArchiveSteps;

  beforeEach(async () => {
    ({ world, steps } = await openWorld());
  });

  afterEach(() => world.close());

  const failure = async (promise: PromiseLike<unknown>) => (await rejection(promise)) as Error;
  const oneMoved = async () => [...(await steps.archivedStreams())][0] ?? '';

  it('leaves no stream behind that could be appended to', async () => {
    await steps.run();
    const stream = await oneMoved();
    const look = async () => {
      for (const expected of ['any', 'none', 1n] as const) {
        const refused = await failure(world.log.append(stream, [anEvent()], expected));
        expect(String(refused.cause)).to.include('StreamDeleted');
      }
      expect(await readAll(world.log, stream)).to.deep.equal([]);
      expect(await readAll(world.whole, stream)).to.have.length(2);
      expect(await readAll(world.whole, stream, 1n)).to.have.length(1);
    };
    await look();
    await world.toArchive.reclaim();
    await look();
  });

  it('shows no subscriber that streams were deleted', async () => {
    const live = collect(world.whole);
    await live.caughtUp;
    await steps.run();
    const late = collect(world.whole);
    const behind = collect(world.log, { categories: ['session'] });
    await steps.append('session-new', sessionStarted('new'));
    for (const seen of [live, late, behind]) {
      await until(() => seen.events.at(-1)?.stream === 'session-new');
      await seen.stop();
      expect(seen.events.filter(({ type }) => type.startsWith('$'))).to.deep.equal([]);
    }
    expect(late.events.map(({ id }) => id)).to.deep.equal(live.events.map(({ id }) => id));
  });

  it('has events in exactly one place wherever it was interrupted, and goes on from there', async () => {
    const before = await steps.exported();
    const inLog = await steps.hotEvents();
    const { double } = world.toArchive;
    // The right is missing.
    double.deny(({ operation }) => operation === 'delete');
    const denied = await failure(steps.run());
    expect(denied).to.be.instanceOf(Unavailable);
    expect(String(denied.cause)).to.include('the right delete on');
    expect(await world.catalog.entries()).to.deep.equal([]);
    expect(await steps.hotEvents()).to.equal(inLog);
    // The server goes away in the midst of a range, over and over.
    for (const after of [2, 5, 9, 30]) {
      let left = after;
      double.deny(({ operation }) => operation === 'delete' && (left -= 1) < 0);
      await rejection(steps.run());
      expect((await world.catalog.entries()).at(-1)?.isRemoved).to.equal(false);
      expect(await steps.exported()).to.equal(before);
      await world.toArchive.reclaim();
      expect(await steps.exported()).to.equal(before);
    }
    double.deny(() => false);
    await steps.run();
    expect((await world.catalog.entries()).every(({ isRemoved }) => isRemoved)).to.equal(true);
    expect(await steps.hotEvents()).to.equal(inLog - (await steps.movedEvents()));
    expect(await steps.exported()).to.equal(before);
  });

  it('is made again, as it was, for a database that knows nothing of it, until it was scavenged', async () => {
    const before = await steps.exported();
    await steps.run();
    const names = async () => (await world.catalog.entries()).map(({ name }) => name);
    const archived = await names();
    await world.pool.query('delete from archive_entry');
    await steps.run();
    expect((await names()).slice(0, archived.length)).to.deep.equal(archived);
    await world.toArchive.reclaim();
    expect(await steps.exported()).to.equal(before);
  });

  it('deletes no stream with events after the archived ones', async () => {
    const stream = `session-${steps.ids[1]}`;
    const late = world.archiving({
      takeOut: async (...given) => {
        await world.log.append(stream, [anEvent()], 1n);
        await world.archivable.takeOut(...given);
      },
    });
    const refused = await failure(late.run(new Date(Date.now() + 1000)));
    expect(refused.message).to.include(`${stream} has events after 1`);
    await world.toArchive.reclaim();
    expect(await readAll(world.whole, stream)).to.have.length(3);
  });

  it('is never restored, and says so before anything changes', async () => {
    await steps.run();
    const entries = await world.catalog.entries();
    const [entry] = entries;
    if (entry === undefined) expect.fail('nothing was archived');
    const refused = await failure(world.archiving().restore(entry));
    expect(refused.message).to.include('stays in the archive');
    expect(await world.catalog.entries()).to.deep.equal(entries);
  });

  it('is not what any deleted stream is taken for', async () => {
    const double = await startEventStoreDbDouble();
    const log = createEventStoreDbEventLog({ url: double.url });
    await log.start();
    await log.append('citizen-1', [anEvent()], 'none');
    double.tombstoneStream('citizen-1');
    expect(await rejection(readAll(log, 'citizen-1'))).to.be.instanceOf(Unavailable);
    await log.stop();
    await double.stop();
  });
});
