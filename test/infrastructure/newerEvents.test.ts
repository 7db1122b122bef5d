import { expect } from 'chai';
import { z } from 'zod';
import { refusalOf } from '../../api/problems/refusalOf.ts';
import { createAggregate } from '../../application/handleCommand.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { NotYetWritten, Unavailable, UndecodableEvent } from '../../application/ports/faults.ts';
import type { Decider } from '../../domain/shared/decider.ts';
import type { Catalog } from '../../infrastructure/codec/catalog.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { systemClock, systemRandomness } from '../../infrastructure/system.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemoryEventLog } from '../support/doubles/memoryEventLog.ts';
import { testVault } from '../support/doubles/vault.ts';
import { recordable } from '../support/events/exampleEvents.ts';

const BAT = '110000000001';

const personal = {
  subject: (data: object) => (data as { civilId: string }).civilId,
  placeholders: { name: '?', nickname: '?' },
};
const fields = { civilId: z.string(), name: z.string() };

/** The former release. */
const former: Catalog = {
  Named: {
    version: 1,
    personal: { ...personal, placeholders: { name: '?' } },
    schema: z.strictObject(fields),
  },
};

/** This one, which adds a personal field, and a type. */
const newer: Catalog = {
  Named: {
    version: 2,
    since: { level: 2, adds: ['nickname'] },
    personal,
    schema: z.strictObject({ ...fields, nickname: z.string().nullable() }),
  },
  Praised: {
    version: 1,
    since: { level: 2, adds: null },
    personal: null,
    schema: z.strictObject({}),
  },
};
const upcasters = { Named: [(data: object) => ({ ...data, nickname: null })] };

const named = (nickname: string | null) =>
  recordable({ type: 'Named', data: { civilId: BAT, name: 'Bat', nickname } });
const praised = () => recordable({ type: 'Praised', data: {} });

describe('Events of two neighbouring releases', () => {
  let log: EventLog;
  let level: { reached: number; leftBehind: null };
  let before: EventStore;
  let after: EventStore;

  beforeEach(() => {
    log = createMemoryEventLog();
    const vault = testVault();
    level = { reached: 1, leftBehind: null };
    before = createEventLog({ store: log, vault, catalog: former, upcasters: {} });
    after = createEventLog({ store: log, vault, catalog: newer, upcasters, level });
  });

  async function read(store: EventStore) {
    const data: unknown[] = [];
    for await (const { event } of store.read('citizen-1')) data.push(event.data);
    return data;
  }

  describe('below the level', () => {
    it('are written as the former release reads them', async () => {
      await after.append('citizen-1', [named(null)], 'none');
      expect(await read(before)).to.deep.equal([{ civilId: BAT, name: 'Bat' }]);
      expect(await read(after)).to.deep.equal([{ civilId: BAT, name: 'Bat', nickname: null }]);
    });

    it('are refused with 503 where that one cannot say the same, and nothing is stored', async () => {
      for (const event of [named('Batka'), praised()]) {
        const fault = await rejection(after.append('citizen-1', [named(null), event], 'none'));
        expect(fault).to.be.instanceOf(NotYetWritten);
        expect(String((fault as Error).cause)).to.match(
          /from level 2 .* \.\/tamga upgrade finish/u,
        );
        expect(refusalOf(fault).code).to.equal('DEPENDENCY_UNAVAILABLE');
      }
      expect(await log.head()).to.equal(null);
    });
  });

  describe('from the level on', () => {
    beforeEach(async () => {
      level.reached = 2;
      await after.append('citizen-1', [named('Batka'), praised()], 'none');
    });

    it('are written as the newest version', async () => {
      expect(await read(after)).to.deep.equal([
        { civilId: BAT, name: 'Bat', nickname: 'Batka' },
        {},
      ]);
    });

    it('let the former release write nothing, once it knows of the level', async () => {
      const store = createMemoryEventLog();
      const late = createEventLog({
        store,
        vault: testVault(),
        catalog: former,
        upcasters: {},
        level: { reached: 1, leftBehind: new Error('Of a newer release.') },
      });
      const event = recordable({ type: 'Named', data: { civilId: BAT, name: 'Bat' } });
      expect(await rejection(late.append('citizen-1', [event], 'none'))).to.be.instanceOf(
        Unavailable,
      );
      expect(await store.head()).to.equal(null);
    });

    it('let the former release decide on nothing: it answers 503', async () => {
      const decider: Decider<number, { type: 'Name' }, { type: 'Named'; data: object }> = {
        initial: 0,
        evolve: (count) => count + 1,
        decide: () => [{ type: 'Named', data: { civilId: BAT, name: 'Bat' } }],
      };
      const citizens = createAggregate('citizen', decider, {
        eventStore: before,
        clock: systemClock,
        randomness: systemRandomness,
      });
      const head = await log.head();
      const context = recordable({ type: 'Named', data: {} }).metadata;
      const command = citizens.handle('1', { type: 'Name' }, context);
      const fault = (await rejection(command)) as UndecodableEvent;
      expect(fault).to.be.instanceOf(UndecodableEvent);
      expect(fault.message).to.match(/\(Named\) at position 1 was written by a newer release/u);
      expect(refusalOf(fault).code).to.equal('DEPENDENCY_UNAVAILABLE');
      expect(await log.head()).to.equal(head);
    });
  });
});
