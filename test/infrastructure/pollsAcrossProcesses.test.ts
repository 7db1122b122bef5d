import { expect } from 'chai';
import { randomInt, randomUUID } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import {
  createPollSession,
  createSessionFollower,
  createSessions,
} from '../../application/session/sessions.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { manualClock, memoryAggregateCache } from '../support/doubles/memoryPorts.ts';
import { testVault } from '../support/doubles/vault.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { recordable, sessionConfirmed, sessionStarted } from '../support/events/exampleEvents.ts';
import type { Session } from '../../domain/session/session.ts';
import { givenInMemory } from '../support/given/inMemory.ts';

const SESSIONS = 400;
const AT_ONCE = 16;
const POLL_MS = 60_000;

describe('Polls for sessions that another process writes, on PostgreSQL', () => {
  it('lose no wake, whenever they begin, and however many others pass by', async () => {
    const url = await migratedDatabase();
    const vault = testVault();
    const [writing, polling] = [
      await startPostgresEventLog({ url }),
      await startPostgresEventLog({ url, pollMs: 600_000 }),
    ];
    const writer = createEventLog({ store: writing, vault });
    const eventStore = createEventLog({ store: polling, vault });
    const { clock, expectRepresentation, notifications, randomness, referenceData } = givenInMemory(
      {
        clock: () => manualClock(sessionStarted('any').data.startedAt),
      },
    );
    const cache = memoryAggregateCache<Session>();
    const sessions = createSessions({ eventStore, clock, cache, notifications, randomness });
    const onFailure = (cause: unknown) => expect.fail(String(cause));
    const follower = createSessionFollower({
      eventStore,
      cache,
      sessions,
      notifications,
      onFailure,
    });
    await follower.start();
    const pollSession = createPollSession({
      expectRepresentation,
      sessions,
      notifications,
      clock,
      referenceData,
      soleProcess: false,
      isFollowing: follower.isFollowing,
    });
    const wait = async () => {
      if (randomInt(2) === 0) await setImmediate();
      else await setTimeout(randomInt(8));
    };

    async function cycle(isPolled: boolean): Promise<void> {
      const id = randomUUID();
      const stream = `session-${id}`;
      const { relyingPartyId } = sessionStarted(id).data;
      await writer.append(stream, [recordable(sessionStarted(id))], 'none');
      const poll = async () => {
        await wait();
        const onGone = () => () => undefined;
        return pollSession({ sessionId: id, relyingPartyId, timeoutMs: POLL_MS, onGone });
      };
      const load = randomInt(3) === 0 ? sessions.load(id, { trusts: () => false }) : null;
      const polls = isPolled ? [poll(), poll()] : [];
      await wait();
      await writer.append(stream, [recordable(sessionConfirmed())], 0n);
      await load;
      for (const { state } of await Promise.all(polls)) expect(state).to.equal('COMPLETE');
      // A cached session is never older than the outcome the follower has read.
      if (isPolled) expect((await sessions.load(id)).revision).to.equal(1n);
    }

    const began = performance.now();
    let left = SESSIONS;
    const work = async () => {
      while (left-- > 0) await cycle(left % 2 === 0);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    // One that slept past its wake would have answered at its end only.
    expect(performance.now() - began).to.be.lessThan(POLL_MS);
    expect(follower.isFollowing()).to.equal(true);
    await follower.stop();
    await Promise.all([writing.stop(), polling.stop()]);
  });
});
