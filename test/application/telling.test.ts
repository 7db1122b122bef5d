import { expect } from 'chai';
import { createTelling } from '../../application/webhooks/tellRelyingParties.ts';
import type { Subscriber, WebhookMessage } from '../../application/webhooks/ports/webhooks.ts';
import type { Job } from '../../application/reactors/ports/jobs.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { createMemoryDeadLetters } from '../support/doubles/memoryDeadLetters.ts';
import { recordable, sessionConfirmed, sessionStarted } from '../support/events/exampleEvents.ts';
import { givenInMemory } from '../support/given/inMemory.ts';

const DAY_MS = 86_400_000;
const documentNumber = 'd0000000-0000-4000-8000-000000000001';

describe('Telling relying parties', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  function world(subscribers: readonly Subscriber[]) {
    const { eventStore, clock, sessions, certificates, leaderLock } = givenInMemory({});
    const kept: WebhookMessage[] = [];
    const queued: Job[] = [];
    const met = new Map<string, string[]>();
    let asked = 0;
    const telling = createTelling({
      eventStore,
      clock,
      sessions,
      certificates,
      leaderLock,
      clients: { load: () => Promise.reject(new Error('No client is looked up.')) },
      consents: { load: () => Promise.reject(new Error('No consent is looked up.')) },
      documents: { load: () => Promise.reject(new Error('No document is looked up.')) },
      subjectOf: () => expect.fail('No citizen is named.'),
      signalsOf: () => Promise.resolve([]),
      checkpoints: { load: () => Promise.resolve(null), save: () => Promise.resolve(true) },
      deadLetters: createMemoryDeadLetters(),
      onFailure: (_name, cause) => expect.fail(String(cause)),
      subscribers: {
        all: () => {
          asked += 1;
          return Promise.resolve(subscribers);
        },
      },
      acquaintances: {
        add: (relyingPartyId, about) => {
          met.set(about, [...(met.get(about) ?? []), relyingPartyId]);
          return Promise.resolve();
        },
        of: (about) => Promise.resolve(met.get(about) ?? []),
      },
      outbox: {
        add: (messages) => {
          kept.push(...messages);
          return Promise.resolve();
        },
      },
      jobs: {
        enqueue: (...jobs) => {
          queued.push(...jobs);
          return Promise.resolve();
        },
      },
    });
    async function given(stream: string, time: Date, ...events: DomainEvent[]) {
      const recorded = events.map((event) => recordable(event, time.toISOString()));
      await eventStore.append(stream, recorded, 'any');
    }
    return {
      clock,
      kept,
      queued,
      given,
      asked: () => asked,
      start: () => {
        telling.start();
        stops.push(() => telling.stop());
      },
      until: (position: bigint) =>
        eventually(() => expect(telling.status().position).to.equal(position)),
    };
  }

  const subscriber: Subscriber = {
    relyingPartyId: 'b8f0e0f4-0000-4000-8000-000000000001',
    webhooks: [{ address: 'https://rp.example/events', events: [] }],
    sealsFor: [],
    smartIdStatuses: false,
  };
  const ended = {
    type: 'DeviceDeactivated',
    data: { documentNumber, reason: 1, deactivatedAt: '2026-06-01T00:00:00.000Z' },
  };

  it('keeps the order of the log, and knows of a meeting in the same batch', async () => {
    const { clock, given, start, until, kept, queued, asked } = world([subscriber]);
    const now = clock.now();
    await given('session-s1', now, sessionStarted('s1'), sessionConfirmed());
    await given(`device-${documentNumber}`, now, ended);
    await given('session-s2', now, sessionStarted('s2'), sessionConfirmed());
    start();
    await until(5n);
    expect(kept.map(({ subject, type }) => [subject, type])).to.deep.equal([
      ['session-s1', 'session.completed'],
      [`device-${documentNumber}`, 'device.ended'],
      ['session-s2', 'session.completed'],
    ]);
    expect(new Set(kept.map(({ id }) => id)).size).to.equal(3);
    expect(queued.map(({ payload }) => payload)).to.deep.equal([
      { relyingPartyId: subscriber.relyingPartyId, address: 'https://rp.example/events' },
    ]);
    expect(asked()).to.equal(1);
  });

  it('passes over what is no news any more, without asking who wants it', async () => {
    const { clock, given, start, until, kept, asked } = world([subscriber]);
    const ago = (ms: number) => new Date(clock.now().getTime() - ms);
    await given('session-s1', ago(7 * DAY_MS), sessionStarted('s1'), sessionConfirmed());
    start();
    await until(2n);
    expect([kept, asked()]).to.deep.equal([[], 0]);
    await given('session-s2', ago(7 * DAY_MS - 1), sessionStarted('s2'), sessionConfirmed());
    await until(4n);
    expect(kept.map(({ subject }) => subject)).to.deep.equal(['session-s2']);
  });
});
