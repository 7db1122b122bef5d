import { expect } from 'chai';
import { UndecodableEvent } from '../../application/ports/faults.ts';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { Checkpoints } from '../../application/reactors/ports/checkpoints.ts';
import {
  createBatchReactor,
  createRetryingReactor,
  type Reactor,
  type ReactorDependencies,
} from '../../application/reactors/reactor.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { createMemoryDeadLetters } from '../support/doubles/memoryDeadLetters.ts';
import {
  createMemoryEventStore,
  type MemoryEventStore,
} from '../support/doubles/memoryEventStore.ts';
import { everybodyActive } from '../support/doubles/memoryPorts.ts';
import { recordable, sessionStarted } from '../support/events/exampleEvents.ts';

/** More than a reactor lets fail before it stops. */
const MANY = 1001;

describe('Reactors of the former release', () => {
  let eventStore: MemoryEventStore;
  let deadLetters: ReturnType<typeof createMemoryDeadLetters>;
  let saved: bigint | null;
  let reacted: string[];
  let failures: unknown[];
  let dependencies: ReactorDependencies;

  beforeEach(() => {
    eventStore = createMemoryEventStore();
    deadLetters = createMemoryDeadLetters();
    saved = null;
    reacted = [];
    failures = [];
    const checkpoints: Checkpoints = {
      load: () => Promise.resolve(saved),
      save: (_name, _expected, position) => {
        saved = position;
        return Promise.resolve(true);
      },
    };
    const onFailure = (_name: string, cause: unknown) => failures.push(cause);
    dependencies = { eventStore, checkpoints, deadLetters, leaderLock: everybodyActive, onFailure };
  });

  const given = (session: string) =>
    eventStore.append(`session-${session}`, [recordable(sessionStarted(session))], 'none');

  const newer = (event: RecordedEvent): RecordedEvent => ({
    ...event,
    undecodable: new UndecodableEvent({ ...event, type: 'SessionStarted' }, null, true),
  });

  const concern = { name: 'each', category: 'session', types: ['SessionStarted'] } as const;
  const reactors: Readonly<Record<string, () => Reactor>> = {
    'in batches': () => createBatchReactor(concern, (events) => inOrder(events), dependencies),
    'with retries': () => createRetryingReactor(concern, (event) => inOrder([event]), dependencies),
  };

  /** Sessions whose reaction rests on what a newer release wrote. */
  let resting: Set<string>;
  beforeEach(() => {
    resting = new Set();
  });

  function inOrder(events: readonly RecordedEvent[]): Promise<void> {
    for (const event of events) {
      const { stream } = event;
      if (resting.has(stream)) {
        const cause = new UndecodableEvent({ ...event, type: 'DeviceEnrolled' }, null, true);
        return Promise.reject(new Error('Not loaded.', { cause }));
      }
      reacted.push(stream);
    }
    return Promise.resolve();
  }

  for (const [kind, create] of Object.entries(reactors)) {
    describe(kind, () => {
      it('are where the one before was, though nothing happens', async () => {
        await given('before');
        saved = await eventStore.head();
        const next = create();
        next.start();
        await eventually(() => expect(next.status().position).to.equal(1n));
        await next.stop();
        expect(reacted).to.deep.equal([]);
      });

      it('go on past any number of events of a newer release, and keep their place before the first', async () => {
        await given('before');
        for (let n = 0; n < MANY; n += 1) await given(`newer${n}`);
        eventStore.events.splice(1, MANY, ...eventStore.events.slice(1).map(newer));

        const former = create();
        former.start();
        await eventually(() => expect(former.status().position).to.equal(BigInt(MANY + 1)));
        await given('after');
        await eventually(() =>
          expect(new Set(reacted)).to.deep.equal(new Set(['session-before', 'session-after'])),
        );
        expect(former.status().state).to.equal('RETRYING');
        await former.stop();

        expect(failures).to.have.length(1);
        expect(deadLetters.letters).to.deep.equal([]);
        expect(Number(saved ?? 0n)).to.be.at.most(1);
      });

      it('go on past any number of events that rest on those of a newer release', async () => {
        for (let n = 0; n < MANY; n += 1) {
          resting.add(`session-resting${n}`);
          await given(`resting${n}`);
        }
        const former = create();
        former.start();
        await given('after');
        await eventually(() => expect(reacted).to.include('session-after'));
        await former.stop();

        expect(failures).to.have.length(1);
        expect(deadLetters.letters).to.deep.equal([]);
        expect(saved).to.equal(null);

        resting.clear();
        reacted = [];
        const next = create();
        next.start();
        await eventually(() => expect(new Set(reacted).size).to.equal(MANY + 1));
        expect(next.status().state).to.equal('RUNNING');
        await next.stop();
      });
    });
  }
});
