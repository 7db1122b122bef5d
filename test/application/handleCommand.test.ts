import { expect } from 'chai';
import { createAggregate } from '../../application/handleCommand.ts';
import type { NewEvent } from '../../application/ports/eventStore.ts';
import { RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import { pause } from '../../application/ports/follow.ts';
import type { Decider } from '../../domain/shared/decider.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { context } from '../support/worlds/deviceWorld.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

interface Counted {
  readonly type: 'Counted';
  readonly data: { readonly by: string };
}

/** Counts callers, the names of whom it returns. */
const counter: Decider<readonly string[], string, Counted> = {
  initial: [],
  evolve: (names, { data }) => [...names, data.by],
  decide: (by) => [{ type: 'Counted', data: { by } }],
};

const stream = 'device-1';

function world() {
  const log = createMemoryEventStore();
  const counted = (by: string): NewEvent[] => [
    {
      id: crypto.randomUUID(),
      event: { type: 'Counted', data: { by } },
      metadata: { time: '2026-06-01T00:00:00.000Z', ...context },
    },
  ];
  /** Attempts that are refused because of what cannot be read, and what is appended before each of them. */
  const refused = { left: 0, made: 0, before: (): unknown => undefined };
  const aggregate = createAggregate('device', counter, {
    clock: manualClock(),
    randomness: systemRandomness,
    eventStore: {
      ...log,
      append: async (to, events, expected) => {
        if (refused.left === 0) return log.append(to, events, expected);
        refused.left -= 1;
        refused.made += 1;
        await refused.before();
        return Promise.reject(new RevisionConflict(to));
      },
    },
  });
  return { log, counted, refused, ...aggregate };
}

describe('A command', () => {
  it('is decided anew on what was appended first, although it can be read only later', async () => {
    const { log, counted, refused, handleNew } = world();
    refused.left = Infinity;
    const shown = pause(200).then(() => {
      refused.left = 0;
      return log.append(stream, counted('other'), 'none');
    });
    const { state } = await handleNew('1', 'self', context);
    await shown;
    expect(state).to.deep.equal(['other', 'self']);
  });

  it('is refused as an outage by a log that never shows what it counted', async () => {
    const { refused, handleNew } = world();
    refused.left = Infinity;
    const error = await rejection(handleNew('1', 'self', context));
    expect(error).to.be.instanceOf(Unavailable).with.property('dependency', 'eventStore');
    expect(refused.made, 'attempts').to.equal(11);
  });

  it('is refused as a conflict when others were faster each time', async () => {
    const { log, counted, refused, handleNew } = world();
    refused.left = Infinity;
    refused.before = () => log.append(stream, counted('other'), 'any');
    expect(await rejection(handleNew('1', 'self', context))).to.be.instanceOf(RevisionConflict);
  });
});
