import { expect } from 'chai';
import { createMadeDocuments } from '../../application/stamp/madeDocuments.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';
import { testRandomness } from '../support/doubles/memoryPki.ts';

const context = {
  actor: { kind: 'system', id: 'test' },
  correlationId: 'test',
  causationId: 'test',
  requestId: null,
  ip: null,
} as const;

describe('F2: files the platform made', () => {
  const file = (name: string) => sha256Hex(name);

  function world() {
    const eventStore = createMemoryEventStore();
    const clock = { now: () => new Date('2026-06-01T00:00:00Z') };
    const made = createMadeDocuments({ eventStore, clock, randomness: testRandomness });
    const add = (digest: string, ...sources: readonly string[]) =>
      made.record({ digest: file(digest), making: 'STAMP', sources: sources.map(file) }, context);
    return { eventStore, made, add };
  }

  it('are found from the signed one, and from those made of it', async () => {
    const { made, add } = world();
    await add('stamped', 'contract');
    await add('sealed', 'stamped');
    expect(await made.madeOf([file('contract')])).to.deep.equal([file('stamped'), file('sealed')]);
  });

  it('do not lead through a file somebody else altered', async () => {
    const { made, add } = world();
    await add('stamped', 'contract');
    await add('sealed', 'altered');
    expect(await made.madeOf([file('contract')])).to.deep.equal([file('stamped')]);
  });

  it('are recorded once however often, and end where they lead back', async () => {
    const { eventStore, made, add } = world();
    await add('b', 'a');
    await add('b', 'a');
    await add('a', 'b');
    expect(eventStore.events).to.have.length(2);
    expect(await made.madeOf([file('a')])).to.have.members([file('a'), file('b')]);
  });
});
