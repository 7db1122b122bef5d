import { expect } from 'chai';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { createSealPreconditionCache } from '../../application/seal/sealPreconditions.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';
import { recordable, relyingPartyRegistered } from '../support/events/exampleEvents.ts';

describe('The preconditions of seals that follow the log', () => {
  it('are up to its head once they begin anew, before anything further happens', async () => {
    const store = createMemoryEventStore();
    let failing = true;
    const broken: EventStore = {
      ...store,
      subscribe: (options) =>
        store.subscribe({
          ...options,
          onBatch: (events, position) =>
            failing
              ? Promise.reject(new Error('cannot be decoded'))
              : options.onBatch(events, position),
        }),
    };
    const failures: unknown[] = [];
    const cache = createSealPreconditionCache({
      eventStore: broken,
      onFailure: (cause) => failures.push(cause),
    });
    await cache.start();
    await store.append('organization-1', [recordable(relyingPartyRegistered('1'))], 'any');
    await eventually(() => expect(failures).to.have.length(1));
    failing = false;
    const head = (await store.head()) ?? 0n;
    await eventually(async () => expect(await cache.followed(head)).to.equal(true));
    await cache.stop();
  });
});
