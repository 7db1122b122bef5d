import { expect } from 'chai';
import fc from 'fast-check';
import type { EventStore } from '../../application/ports/eventStore.ts';
import {
  createPollSession,
  createSessionFollower,
  createSessions,
} from '../../application/session/sessions.ts';
import type { Session } from '../../domain/session/session.ts';
import { recordable, sessionConfirmed, sessionStarted } from '../support/events/exampleEvents.ts';
import { until } from '../support/http/http.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';
import { manualClock, memoryAggregateCache } from '../support/doubles/memoryPorts.ts';
import { givenInMemory } from '../support/given/inMemory.ts';

const id = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
const stream = `session-${id}`;
const { relyingPartyId } = sessionStarted(id).data;

/** The process that polls; others write to its event store without its knowing. */
function processThatPolls(
  eventStore: EventStore & { readonly reads: number },
  onFailure: (cause: unknown) => void = (cause) => expect.fail(String(cause)),
) {
  const cache = memoryAggregateCache<Session>();
  const { clock, expectRepresentation, notifications, randomness, referenceData } = givenInMemory({
    clock: () => manualClock(sessionStarted(id).data.startedAt),
  });
  const sessions = createSessions({
    eventStore,
    clock,
    cache,
    notifications,
    randomness,
  });
  const follower = createSessionFollower({ eventStore, cache, sessions, notifications, onFailure });
  const pollSession = createPollSession({
    expectRepresentation,
    sessions,
    notifications,
    clock,
    referenceData,
    soleProcess: false,
    isFollowing: follower.isFollowing,
  });
  return {
    follower,
    sessions,
    notifications,
    cache,
    poll: (timeoutMs: number) =>
      pollSession({ sessionId: id, relyingPartyId, timeoutMs, onGone: () => () => undefined }),
  };
}

/** A store whose reads are counted and take as many turns as they are told. */
function storeWithReads(turnsOfRead: () => number = () => 0) {
  const store = createMemoryEventStore();
  const counted = {
    ...store,
    reads: 0,
    /** Events handed to the follower. */
    delivered: 0,
    subscribe: (options: Parameters<EventStore['subscribe']>[0]) =>
      store.subscribe({
        ...options,
        onBatch: (events, position) => {
          counted.delivered += events.length;
          return options.onBatch(events, position);
        },
      }),
    async *read(name: string, from?: bigint) {
      counted.reads += 1;
      const found = [];
      for await (const event of store.read(name, from)) found.push(event);
      await turn(turnsOfRead());
      yield* found;
    },
  };
  return counted;
}

async function turn(times: number): Promise<void> {
  for (let taken = 0; taken < times; taken += 1) {
    await (taken % 2 === 0 ? Promise.resolve() : new Promise(setImmediate));
  }
}

describe('Following the sessions', () => {
  const start = (store: EventStore) =>
    store.append(stream, [recordable(sessionStarted(id))], 'none');
  const confirm = (store: EventStore) => store.append(stream, [recordable(sessionConfirmed())], 0n);

  it('answers a poll for a session of another process with what the log tells', async () => {
    const store = storeWithReads();
    const { follower, sessions, poll, notifications } = processThatPolls(store);
    await follower.start();
    await start(store);
    await turn(20);
    const polled = poll(60_000);
    await turn(20);
    expect(notifications.waiting()).to.equal(1);
    await confirm(store);
    expect((await polled).state).to.equal('COMPLETE');
    expect((await sessions.load(id)).revision).to.equal(1n);
    expect(store.reads).to.equal(1);
    await follower.stop();
  });

  it('skips sessions of other processes that no poll here waits for', async () => {
    const store = storeWithReads();
    const { follower, cache } = processThatPolls(store);
    await follower.start();
    await start(store);
    await confirm(store);
    await turn(40);
    expect([cache.get(stream), store.reads, store.delivered]).to.deep.equal([undefined, 0, 0]);
    await follower.stop();
  });

  it('brings a remembered session forward when another process changes it', async () => {
    const store = storeWithReads();
    const { follower, sessions } = processThatPolls(store);
    await follower.start();
    await start(store);
    expect((await sessions.load(id)).revision).to.equal(0n);
    await confirm(store);
    await turn(40);
    expect((await sessions.load(id)).state.status).to.equal('COMPLETE');
    expect(store.reads).to.equal(1);
    await follower.stop();
  });

  it('remembers no state that was read before an outcome, and cached after it passed by', async () => {
    const reads: (() => void)[] = [];
    const store = storeWithReads();
    const slow = {
      ...store,
      get reads() {
        return store.reads;
      },
      async *read(name: string) {
        const found = [];
        for await (const event of store.read(name)) found.push(event);
        await new Promise<void>((resolve) => reads.push(resolve));
        yield* found;
      },
    };
    const { follower, sessions, poll } = processThatPolls(slow);
    await follower.start();
    await start(store);
    const loading = sessions.load(id);
    await until(() => reads.length === 1);
    await confirm(store);
    await turn(40);
    for (const answer of reads.splice(0)) answer();
    await loading;
    await turn(40);
    for (const answer of reads.splice(0)) answer();
    const began = performance.now();
    expect((await poll(20_000)).state).to.equal('COMPLETE');
    expect(performance.now() - began).to.be.lessThan(15_000);
    await follower.stop();
  });

  it('asks the log before it answers RUNNING', async () => {
    const store = storeWithReads();
    const { follower, poll } = processThatPolls(store);
    await follower.start();
    await start(store);
    await turn(20);
    const polled = poll(0);
    expect((await polled).state).to.equal('RUNNING');
    expect((await poll(0)).state).to.equal('RUNNING');
    expect(store.reads).to.equal(2);
    await follower.stop();
  });

  it('loses no notification, however reads, events and polls interleave', async function () {
    this.timeout(60_000);
    const turns = fc.nat(6);
    await fc.assert(
      fc.asyncProperty(
        fc.record({ beforePoll: turns, beforeConfirm: turns, beforeFollow: turns, read: turns }),
        fc.boolean(),
        async ({ beforePoll, beforeConfirm, beforeFollow, read }, startedBefore) => {
          const store = storeWithReads(() => read);
          if (startedBefore) await start(store);
          const { follower, poll } = processThatPolls(store);
          await turn(beforeFollow);
          await follower.start();
          if (!startedBefore) await start(store);
          const began = performance.now();
          const polling = turn(beforePoll).then(() => poll(20_000));
          await turn(beforeConfirm);
          await confirm(store);
          expect((await polling).state).to.equal('COMPLETE');
          expect(performance.now() - began).to.be.lessThan(15_000);
          await follower.stop();
        },
      ),
      { numRuns: 2_000, endOnFailure: true },
    );
  });

  it('is not relied on while it fails, and begins anew with nothing remembered', async () => {
    const store = storeWithReads();
    let failing = true;
    const broken = {
      ...store,
      get reads() {
        return store.reads;
      },
      subscribe: (options: Parameters<EventStore['subscribe']>[0]) =>
        store.subscribe({
          ...options,
          onBatch: (events, position) =>
            failing
              ? Promise.reject(new Error('cannot be decoded'))
              : options.onBatch(events, position),
        }),
    };
    const failures: unknown[] = [];
    const { follower, sessions, notifications } = processThatPolls(broken, (cause) =>
      failures.push(cause),
    );
    const { changed } = notifications.listen('session:any');
    await follower.start();
    await start(store);
    await turn(20);
    expect(failures).to.have.length(1);
    expect(follower.isFollowing()).to.equal(false);
    failing = false;
    await until(() => follower.isFollowing());
    expect((await sessions.load(id)).revision).to.equal(0n);
    expect(store.reads).to.equal(1);
    await changed;
    await follower.stop();
  });
});
