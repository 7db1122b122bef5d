import { expect } from 'chai';
import { createMadeDocuments } from '../../application/stamp/madeDocuments.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';

const context = causedBy('system', 'test');

describe('F2: files the platform made', () => {
  const file = (name: string) => sha256Hex(name);

  function world() {
    const { clock, eventStore: memory, randomness } = givenInMemory();
    const events = { read: 0 };
    const eventStore = {
      ...memory,
      async *read(stream: string, from?: bigint) {
        for await (const event of memory.read(stream, from)) {
          events.read += 1;
          yield event;
        }
      },
    };
    const made = createMadeDocuments({ eventStore, clock, randomness });
    const add = (digest: string, ...sources: readonly string[]) =>
      made.record({ digest: file(digest), making: 'STAMP', sources: sources.map(file) }, context);
    return { eventStore, clock, randomness, events, made, add };
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

  it('N1: are recorded and found in linear time, however many are made of one', async () => {
    const { eventStore, made, add, events } = world();
    const count = 1000;
    for (let n = 0; n < count; n += 1) await add(`copy ${n}`, 'terms');
    expect(events.read, 'events read to append').to.be.at.most(2 * count);
    events.read = 0;
    for (let times = 0; times < 5; times += 1) {
      expect(await made.madeOf([file('terms')])).to.have.length(count);
    }
    expect(events.read, 'events read to list').to.be.at.most(count);
    const other = createMadeDocuments({ ...world(), eventStore });
    const found = new Set(await other.madeOf([file('terms')]));
    expect([found.has(file('copy 0')), found.has(file(`copy ${count - 1}`))]).to.deep.equal([
      true,
      true,
    ]);
    await add('copy of a copy', 'copy 0');
    expect(await other.madeOf([file('terms')])).to.include(file('copy of a copy'));
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
