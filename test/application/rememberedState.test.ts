import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createOperatorDirectory } from '../../application/operator/operators.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { type Operators, operatorsDecider } from '../../domain/operator/operators.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';
import { manualClock, memoryAggregateCache, neverStale } from '../support/doubles/memoryPorts.ts';
import { context } from '../support/worlds/deviceWorld.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

describe('Remembered state is never the last word', () => {
  const now = '2026-03-01T12:00:00.000Z';
  const operatorId = randomUUID();

  /** One of the processes on one log, each with a memory of its own. */
  function createProcess(eventStore: ReturnType<typeof createMemoryEventStore>) {
    const cache = memoryAggregateCache<Operators>();
    const operators = createOperatorDirectory({
      eventStore,
      cache,
      staleness: neverStale,
      clock: manualClock(now),
      randomness: systemRandomness,
      onFailure: (cause) => expect.fail(String(cause)),
    });
    const about = { operatorId, now };
    return {
      cache,
      role: async () => (await operators.current()).get(operatorId)?.role,
      add: () =>
        operators.handle(
          {
            ...about,
            type: 'AddOperator',
            email: 'one@tamga.mn',
            passwordHash: 'hash',
            role: 'SUPER_ADMIN',
            mustChangePassword: false,
            unlessKnown: false,
          },
          context,
        ),
      addAnother: () =>
        operators.handle(
          {
            operatorId: randomUUID(),
            now,
            type: 'AddOperator',
            email: 'two@tamga.mn',
            passwordHash: 'hash',
            role: 'SUPER_ADMIN',
            mustChangePassword: false,
            unlessKnown: false,
          },
          context,
        ),
      setRole: (role: OperatorRole) =>
        operators.handle({ ...about, type: 'ChangeRole', role }, context),
    };
  }

  it('asks the log again when a command is already satisfied by what is remembered', async () => {
    const store = createMemoryEventStore();
    const [here, elsewhere] = [createProcess(store), createProcess(store)];
    await here.add();
    await here.addAnother();
    await here.setRole('AUDITOR');
    await elsewhere.setRole('SUPPORT');
    const { events } = await here.setRole('AUDITOR');
    expect(events.map(({ type }) => type)).to.deep.equal(['OperatorRoleChanged']);
    expect(store.events.at(-1)?.event.data).to.include({ from: 'SUPPORT', to: 'AUDITOR' });
  });

  it('knows at once what another process changed', async () => {
    const store = createMemoryEventStore();
    const [here, elsewhere] = [createProcess(store), createProcess(store)];
    await here.add();
    await here.addAnother();
    expect(await here.role()).to.equal('SUPER_ADMIN');
    await elsewhere.setRole('SUPPORT');
    expect(await here.role()).to.equal('SUPPORT');
  });

  it('appends nothing when the log says so, too', async () => {
    const store = createMemoryEventStore();
    const here = createProcess(store);
    await here.add();
    await here.addAnother();
    await here.setRole('AUDITOR');
    const before = store.events.length;
    const { events, position } = await here.setRole('AUDITOR');
    expect([events, position, store.events.length]).to.deep.equal([[], null, before]);
  });

  it('forgets a state that the log no longer has', async () => {
    const store = createMemoryEventStore();
    const here = createProcess(store);
    await here.add();
    const { state, revision } = await here.addAnother();
    // Lost in a failover: remembered, and at no place in the log.
    const phantom = operatorsDecider.evolve(state, {
      type: 'OperatorRoleChanged',
      data: { operatorId, from: 'SUPER_ADMIN', to: 'SUPPORT', changedAt: now },
    });
    here.cache.set('operators-all', { state: phantom, revision: (revision ?? 0n) + 1n });
    const { events } = await here.setRole('AUDITOR');
    expect(events.map(({ data }) => data)).to.deep.include.members([
      { operatorId, from: 'SUPER_ADMIN', to: 'AUDITOR', changedAt: now },
    ]);
  });
});
