import { expect } from 'chai';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createMemoryPersonKeys } from '../support/doubles/memoryPersonKeys.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { foldBatch, type LoadRows } from '../../projections/engine/readModel.ts';
import { relyingPartiesReadModel } from '../../projections/models/relyingParties.ts';
import { recordable, relyingPartyRegistered } from '../support/events/exampleEvents.ts';

describe('Folding a batch', () => {
  const vault = createPersonalDataVault({
    keys: createMemoryPersonKeys(),
    masterKey: Buffer.alloc(32, 7),
  });
  const seen = (subsystem: string): DomainEvent => ({
    type: 'SubsystemSeen',
    data: { relyingPartyId: 'r1', subsystem, seenAt: '2026-01-01T00:00:00.000Z' },
  });
  const none: LoadRows = () => Promise.resolve(new Map());
  const fold = (events: readonly RecordedEvent[], load: LoadRows) =>
    foldBatch(relyingPartiesReadModel, events, load, vault);

  function recorded(...events: DomainEvent[]): RecordedEvent[] {
    return events.map((event, index) => ({
      ...recordable(event),
      stream: 'relyingParty-r1',
      revision: BigInt(index),
      position: BigInt(index + 1),
    }));
  }

  it('makes one change of many events of one stream', async () => {
    const changes = await fold(
      recorded(relyingPartyRegistered('r1'), seen('web'), seen('app')),
      none,
    );
    expect([...changes.keys()]).to.deep.equal(['r1']);
    const change = changes.get('r1');
    expect(change?.before).to.equal(undefined);
    expect(change?.after).to.have.property('revision', 2n);
    expect(change?.after['subsystems']).to.have.length(2);
  });

  it('changes nothing for events the row shows already', async () => {
    const events = recorded(relyingPartyRegistered('r1'), seen('web'), seen('app'));
    const row = (await fold(events, none)).get('r1')?.after;
    const present: LoadRows = () =>
      Promise.resolve(new Map(row === undefined ? [] : [['r1', row]]));
    expect((await fold(events.slice(1), present)).size).to.equal(0);
  });

  it('reads no row for a stream that begins in the batch', async () => {
    const asked: (readonly string[])[] = [];
    await fold(recorded(relyingPartyRegistered('r1'), seen('web')), (keys) => {
      asked.push(keys);
      return Promise.resolve(new Map());
    });
    expect(asked).to.deep.equal([[]]);
  });
});
