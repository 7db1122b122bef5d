import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { Unavailable, UndecodableEvent } from '../../application/ports/faults.ts';
import type { DeadLetterList } from '../../application/reactors/ports/deadLetters.ts';
import { retryDeadLetters } from '../../application/reactors/retryDeadLetters.ts';
import { createPostgresDeadLetters } from '../../infrastructure/postgres/deadLetters.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import type { Job, Jobs } from '../../application/reactors/ports/jobs.ts';
import type { PushMessage } from '../../application/reactors/ports/push.ts';
import type { OverdueSession } from '../../application/ports/sessionViews.ts';
import type { LeaderLock } from '../../application/ports/leaderLock.ts';
import { createSessionExpiry } from '../../application/reactors/expireSessionWhenTimeIsUp.ts';
import { createDevices, createNotices } from '../../application/aggregates.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import {
  createEnrolmentNotices,
  createNoticePushHandler,
} from '../../application/reactors/giveNotices.ts';
import {
  createPushJobHandler,
  createPushReactor,
  pushJob,
} from '../../application/reactors/pushSessionToPhone.ts';
import { createSessions } from '../../application/session/sessions.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import { createCheckpoints } from '../../projections/engine/checkpoints.ts';
import { createReferenceData } from '../../projections/referenceData.ts';
import { createSessionViews } from '../../projections/sessions.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  certificateIssued,
  certificateRequested,
  deviceEnrolled,
  recordable,
  sessionConfirmed,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { memoryDeliveries } from '../support/doubles/memoryDeliveries.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { systemClock } from '../../infrastructure/system.ts';

describe('Reactors', () => {
  let side: ReadSide;
  let leaderLock: LeaderLock;
  let failures: string[];
  let pool: pg.Pool;

  beforeEach(async () => {
    side = await openReadSide();
    pool = createPool({ url: side.url });
    leaderLock = createLeaderLock({ url: side.url, pollMs: 20 });
    failures = [];
    side.projector().start();
  });

  afterEach(async () => {
    await side.close();
    await pool.end();
  });

  async function given(stream: string, ...events: DomainEvent[]) {
    await side.eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
  }

  describe('expireSessionWhenTimeIsUp', () => {
    function expiry(now: Date, everyMs = 20) {
      const sessions = createSessions({
        eventStore: side.eventStore,
        clock: { now: () => now },
        randomness: {
          uuid: () => randomUUID(),
          timeOrderedUuid: () => randomUUID(),
          bytes: (count) => Buffer.alloc(count),
          alphanumeric: (length) => 'A'.repeat(length),
        },
        notifications: createNotificationHub(),
      });
      return createSessionExpiry({
        sessions,
        overdue: createSessionViews(side.database),
        clock: { now: () => now },
        leaderLock,
        onFailure: (name) => failures.push(name),
        everyMs,
      });
    }

    const inThreeMinutes = () => new Date(Date.now() + 180_000);
    const ended = () =>
      side.eventStore.events
        .filter(({ event }) => event.type === 'SessionExpired')
        .map(({ stream }) => stream);

    it('ends every session past its time once and leaves the others', async () => {
      const reactor = expiry(inThreeMinutes());
      reactor.start();
      const answerBefore = new Date(Date.now() + 3_600_000).toISOString();
      await given('session-late', sessionStarted('late'));
      await given('session-early', sessionStarted('early', { answerBefore }));
      await given('session-answered', sessionStarted('answered'), sessionConfirmed());

      const views = createSessionViews(side.database);
      await eventually(async () => {
        expect(await views.session('late')).to.include({ endResult: 'TIMEOUT' });
      });
      await reactor.stop();
      expect(ended()).to.deep.equal(['session-late']);
      expect(failures).to.deep.equal([]);
    });

    it('ends after a restart what became due while nobody watched, however many', async () => {
      const first = expiry(new Date());
      first.start();
      await eventually(() => expect(first.status().state).to.equal('RUNNING'));
      const ids = Array.from({ length: 450 }, (_, index) => `s${index}`);
      for (const id of ids) await given(`session-${id}`, sessionStarted(id));
      await first.stop();
      expect(ended()).to.deep.equal([]);
      const views = createSessionViews(side.database);
      await eventually(async () => {
        expect(await views.overdueSessions(inThreeMinutes(), 1000, null)).to.have.length(450);
      });

      const second = expiry(inThreeMinutes(), 60_000);
      second.start();
      await eventually(() => expect(ended()).to.have.length(450));
      await second.stop();
      expect(new Set(ended()).size).to.equal(450);
    });

    it('pages through overdue sessions in order without missing one', async () => {
      const answerBefore = '2026-01-01T00:00:00.000Z';
      for (const id of ['c', 'a', 'b']) {
        await given(`session-${id}`, sessionStarted(id, { answerBefore }));
      }
      const views = createSessionViews(side.database);
      await eventually(async () => {
        const found: string[] = [];
        let last: OverdueSession | null = null;
        for (;;) {
          const page: readonly OverdueSession[] = await views.overdueSessions(new Date(), 1, last);
          last = page[0] ?? null;
          if (last === null) break;
          found.push(last.sessionId);
        }
        expect(found).to.deep.equal(['a', 'b', 'c']);
      });
    });
  });

  describe('pushSessionToPhone', () => {
    let queued: Job[];
    let deadLetters: DeadLetterList;

    function reactor(enqueue: Jobs['enqueue'] = queueing, attempts = 3) {
      return createPushReactor({
        eventStore: side.eventStore,
        checkpoints: createCheckpoints(side.database),
        leaderLock,
        devices: createReferenceData(side.database, side.vault),
        jobs: { enqueue } as Jobs,
        clock: systemClock,
        deadLetters,
        attempts,
        onFailure: (name) => failures.push(name),
      });
    }

    function queueing(...jobs: readonly Job[]): Promise<void> {
      queued.push(...jobs);
      return Promise.resolve();
    }

    beforeEach(async () => {
      queued = [];
      deadLetters = createPostgresDeadLetters(pool);
      await given('certificate-0a', certificateRequested('0a'), certificateIssued('0a'));
      await given('certificate-0b', certificateRequested('0b'), certificateIssued('0b'));
      await given('device-d1', deviceEnrolled('d1'));
      await given('device-d2', deviceEnrolled('d2'));
      await given('device-d3', deviceEnrolled('d3', { pushToken: null }));
      const referenceData = createReferenceData(side.database, side.vault);
      await eventually(async () => {
        expect(await referenceData.activeDevicesOf('100000000001')).to.have.length(3);
      });
    });

    const addressed = () => queued.map(({ payload }) => payload['documentNumber']);

    it('queues a message to every phone with a push token, named after event and phone', async () => {
      const pushing = reactor();
      pushing.start();
      await given('session-s1', sessionStarted('s1'));
      await eventually(() => expect(addressed()).to.have.members(['d1', 'd2']));
      const event = side.eventStore.events.find(({ stream }) => stream === 'session-s1');
      expect(queued.map(({ id }) => id)).to.have.members([
        `push:${event?.id}:d1`,
        `push:${event?.id}:d2`,
      ]);
      expect(JSON.stringify(queued)).not.to.include('token');
      await pushing.stop();
    });

    it('queues to the named phone only, and nothing for device links or sessions whose time is up', async () => {
      const pushing = reactor();
      pushing.start();
      const answerBefore = '2026-01-01T00:00:00.000Z';
      await given('session-s1', sessionStarted('s1', { flow: 'DEVICE_LINK' }));
      await given('session-s2', sessionStarted('s2', { answerBefore }));
      await given('session-s3', sessionStarted('s3', { documentNumber: 'd2' }));
      await eventually(() => expect(addressed()).to.deep.equal(['d2']));
      await pushing.stop();
    });

    it('is passed by the events it does not react to', async () => {
      let batches = 0;
      const pushing = reactor((...jobs) => {
        batches += 1;
        return queueing(...jobs);
      });
      pushing.start();
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      await eventually(() => expect(addressed()).to.deep.equal(['d1']));
      await given('session-s1', sessionConfirmed());
      const newest = side.eventStore.events.at(-1)?.position;
      await eventually(() => expect(pushing.status().position).to.equal(newest));
      expect(batches).to.equal(1);
      await pushing.stop();
    });

    it('keeps how far it came in a log that goes silent, also when nothing was queued', async () => {
      const pushing = reactor();
      pushing.start();
      await given('session-s1', sessionStarted('s1', { flow: 'DEVICE_LINK' }));
      const newest = side.eventStore.events.at(-1)?.position;
      await eventually(async () => {
        const kept = await createCheckpoints(side.database).load(`reactor:${pushJob}`);
        expect(kept).to.equal(newest);
      });
      await pushing.stop();
    });

    it('goes on where it stopped, and loses nothing while jobs cannot be queued', async () => {
      const first = reactor();
      first.start();
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      await eventually(() => expect(queued).to.have.length(1));
      await first.stop();

      await given('session-s2', sessionStarted('s2', { documentNumber: 'd1' }));
      let refusals = 2;
      const second = reactor((...jobs) => {
        if (jobs.length === 0) return Promise.resolve();
        refusals -= 1;
        return refusals >= 0 ? Promise.reject(new Error('away')) : queueing(...jobs);
      });
      second.start();
      await eventually(() => {
        expect(queued.map(({ payload }) => payload['sessionId'])).to.deep.equal(['s1', 's2']);
      });
      await eventually(() => expect(second.status().state).to.equal('RUNNING'));
      expect(failures).to.deep.equal([pushJob]);
      await second.stop();
    });

    const sessionsQueued = () => [...new Set(queued.map(({ payload }) => payload['sessionId']))];

    it('goes on past a session that cannot be decoded, and leaves it as a dead letter', async () => {
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      const stored = side.eventStore.events.at(-1);
      if (stored === undefined) throw new Error('The event is missing.');
      const undecodable = new UndecodableEvent({ ...stored, type: stored.event.type }, null);
      side.eventStore.events[Number(stored.position) - 1] = { ...stored, undecodable };
      await given('session-s2', sessionStarted('s2', { documentNumber: 'd1' }));
      const pushing = reactor();
      pushing.start();
      await given('session-s3', sessionStarted('s3', { documentNumber: 'd2' }));

      await eventually(() => expect(sessionsQueued()).to.deep.equal(['s2', 's3']));
      await eventually(async () => {
        const [letter, ...others] = await deadLetters.list();
        expect(others).to.deep.equal([]);
        expect(letter).to.include({
          reactor: pushJob,
          eventId: stored.id,
          stream: 'session-s1',
          attempts: 1,
        });
      });
      expect(pushing.status().state).to.equal('RUNNING');
      await pushing.stop();
    });

    it('O8: leaves events of a newer release to the first process that can read them', async () => {
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      const [stored] = side.eventStore.events.slice(-1);
      if (stored === undefined) throw new Error('The event is missing.');
      const undecodable = new UndecodableEvent({ ...stored, type: 'SessionStarted' }, null, true);
      side.eventStore.events[Number(stored.position) - 1] = { ...stored, undecodable };
      const former = reactor();
      former.start();
      await given('session-s2', sessionStarted('s2', { documentNumber: 'd1' }));
      await eventually(() => expect(sessionsQueued()).to.deep.equal(['s2']));
      expect(former.status().state).to.equal('RETRYING');
      await former.stop();
      expect(await deadLetters.list()).to.deep.equal([]);

      side.eventStore.events[Number(stored.position) - 1] = stored;
      const newer = reactor();
      newer.start();
      await eventually(() => expect(sessionsQueued()).to.deep.equal(['s2', 's1']));
      await newer.stop();
    });

    it('O8: leaves what rests on events of a newer release to a process that can read them', async () => {
      let isNewer = false;
      let tries = 0;
      const event = { id: 'e1', type: 'DeviceEnrolled', position: 1n };
      const pushing = (...jobs: readonly Job[]) => {
        if (isNewer || jobs.length === 0) return queueing(...jobs);
        tries += 1;
        const cause = new UndecodableEvent(event, null, true);
        return Promise.reject(new Error('Not loaded.', { cause }));
      };
      const former = reactor(pushing, 1);
      former.start();
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      await eventually(() => expect(tries).to.be.above(0));
      await eventually(() => expect(former.status().state).to.equal('RETRYING'));
      await former.stop();
      expect(await deadLetters.list()).to.deep.equal([]);

      isNewer = true;
      const newer = reactor(pushing, 1);
      newer.start();
      await eventually(() => expect(sessionsQueued()).to.deep.equal(['s1']));
      await newer.stop();
    });

    it('leaves what fails for ever as a dead letter after its attempts, which can be retried', async () => {
      let isBroken = true;
      const pushing = reactor((...jobs) =>
        isBroken && jobs.some(({ payload }) => payload['sessionId'] === 's1')
          ? Promise.reject(new TypeError('broken'))
          : queueing(...jobs),
      );
      pushing.start();
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      await given('session-s2', sessionStarted('s2', { documentNumber: 'd1' }));
      await eventually(() => expect(sessionsQueued()).to.deep.equal(['s2']));
      await eventually(async () => {
        expect((await deadLetters.list())[0]).to.include({ error: 'TypeError', attempts: 3 });
      });
      await eventually(() => expect(pushing.status().state).to.equal('RUNNING'));
      expect(await deadLetters.counts()).to.deep.equal(new Map([[pushJob, 1]]));
      await pushing.stop();

      const retrying = { deadLetters, reactors: [pushing], eventStore: side.eventStore };
      expect(await retryDeadLetters(retrying)).to.deep.equal({ succeeded: 0, failed: 1 });
      expect((await deadLetters.list())[0]).to.include({ attempts: 4 });
      isBroken = false;
      expect(await retryDeadLetters(retrying, 'another')).to.deep.equal({
        succeeded: 0,
        failed: 0,
      });
      expect(await retryDeadLetters(retrying, pushJob)).to.deep.equal({ succeeded: 1, failed: 0 });
      expect(sessionsQueued()).to.deep.equal(['s2', 's1']);
      expect(await deadLetters.list()).to.deep.equal([]);
    });

    it('does not count an outage', async () => {
      let refusals = 6;
      const pushing = reactor((...jobs) => {
        if (jobs.length === 0) return Promise.resolve();
        refusals -= 1;
        return refusals >= 0 ? Promise.reject(new Unavailable('redis')) : queueing(...jobs);
      });
      pushing.start();
      await given('session-s1', sessionStarted('s1', { documentNumber: 'd1' }));
      await eventually(() => expect(sessionsQueued()).to.deep.equal(['s1']));
      expect(await deadLetters.list()).to.deep.equal([]);
      await pushing.stop();
    });

    it('sends the message unless the time is up or the phone is gone', async () => {
      const sent: PushMessage[] = [];
      const handle = createPushJobHandler({
        devices: createReferenceData(side.database, side.vault),
        push: {
          notify: (message) => {
            sent.push(message);
            return Promise.resolve();
          },
        },
        clock: { now: () => new Date('2026-06-01T00:00:00.000Z') },
      });
      const answerBefore = '2026-06-01T00:01:00.000Z';
      await handle({ sessionId: 's1', documentNumber: 'd1', answerBefore });
      await handle({ sessionId: 's2', documentNumber: 'd3', answerBefore });
      await handle({ sessionId: 's3', documentNumber: 'unknown', answerBefore });
      await handle({
        sessionId: 's4',
        documentNumber: 'd1',
        answerBefore: '2026-06-01T00:00:00.000Z',
      });
      expect(sent).to.deep.equal([
        { documentNumber: 'd1', platform: 'FCM', pushToken: 'token', sessionId: 's1' },
      ]);
    });
  });

  describe('F7: enrolling a phone is never silent', () => {
    it('queues a push of the notice to the phones there were before, however late', async () => {
      const queued: Job[] = [];
      const devices = createReferenceData(side.database, side.vault);
      const { eventStore } = side;
      const clock = systemClock;
      const randomness = { timeOrderedUuid: () => randomUUID() } as Randomness;
      const notices = createNotices({ eventStore, clock, randomness });
      const enqueue = (job: Job) => Promise.resolve(void queued.push(job));
      const telling = createEnrolmentNotices({
        eventStore,
        leaderLock,
        devices,
        notices,
        clock,
        checkpoints: createCheckpoints(side.database),
        deviceAggregates: createDevices({ eventStore, clock, randomness }),
        jobs: { enqueue } as Jobs,
        newsMs: 3_600_000,
        deadLetters: createPostgresDeadLetters(pool),
        onFailure: (name) => failures.push(name),
      });
      await given('certificate-0a', certificateRequested('0a'), certificateIssued('0a'));
      await given('certificate-0b', certificateRequested('0b'), certificateIssued('0b'));
      await given('device-d1', deviceEnrolled('d1', { enrolledAt: '2026-01-01T00:00:00.000Z' }));
      await given('device-d2', deviceEnrolled('d2', { enrolledAt: '2026-01-02T00:00:00.000Z' }));
      await eventually(async () => {
        expect(await devices.activeDevicesOf('100000000001')).to.have.length(2);
      });
      telling.start();
      await eventually(() => {
        expect(queued.map(({ payload }) => payload['documentNumber'])).to.deep.equal(['d1', 'd2']);
      });
      const sent: PushMessage[] = [];
      const notify = (message: PushMessage) => Promise.resolve(void sent.push(message));
      await createNoticePushHandler({
        ...memoryDeliveries(),
        devices,
        push: { notify },
        accessLog: () => Promise.resolve(),
        onFailed: (cause) => failures.push(String(cause)),
      })(queued[0]?.payload ?? {});
      const noticeId = queued[0]?.payload['noticeId'];
      expect(sent).to.deep.equal([
        { documentNumber: 'd1', platform: 'FCM', pushToken: 'token', noticeId },
      ]);
      await telling.stop();
    });
  });
});
