import { expect } from 'chai';
import { z } from 'zod';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import type {
  EventMetadata,
  EventStore,
  NewEvent,
  RecordedEvent,
} from '../../application/ports/eventStore.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { Unavailable, UndecodableEvent } from '../../application/ports/faults.ts';
import { forgottenIdentity } from '../../domain/citizen/events.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { type Catalog, catalog } from '../../infrastructure/codec/catalog.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { UnstorableEvent } from '../../infrastructure/codec/eventEncoding.ts';
import { UnknownEvent, type Upcasters } from '../../infrastructure/codec/upcasters.ts';
import { createMemoryEventLog } from '../support/doubles/memoryEventLog.ts';
import { recordable } from '../support/events/exampleEvents.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { sampleEvents, sampleIdentity, sampleVariants } from '../support/events/sampleEvents.ts';
import { testVault } from '../support/doubles/vault.ts';
import { until } from '../support/assertions/waiting.ts';

const BAT = '110000000001';
const nested = sampleVariants['SessionStarted-nested'] as SessionStarted;
const anonymousLink = sampleVariants['SessionStarted-anonymousDeviceLink'] as DomainEvent;

describe('the codec', () => {
  let log: EventLog;
  let vault: PersonalDataVault;
  let store: EventStore;

  beforeEach(() => {
    log = createMemoryEventLog();
    vault = testVault();
    store = createEventLog({ store: log, vault });
  });

  async function stored(stream: string): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const event of log.read(stream)) events.push(event);
    return events;
  }

  async function read(stream: string, from: EventStore = store): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const event of from.read(stream)) events.push(event);
    return events;
  }

  it('reads back every kind of event exactly as it was appended, with its place and metadata', async () => {
    const events = [...Object.values(sampleEvents), anonymousLink].map((event) =>
      recordable(event),
    );
    const appended = await store.append('session-1', events, 'none');
    const recorded = await read('session-1');
    expect(recorded.map(({ id, event, metadata }) => ({ id, event, metadata }))).to.deep.equal(
      events,
    );
    expect(recorded.map(({ revision }) => Number(revision))).to.deep.equal(
      events.map((_, index) => index),
    );
    expect(recorded.at(-1)).to.include({ stream: 'session-1', ...appended });
    expect(await store.head()).to.equal(appended.position);
  });

  it('encrypts exactly the declared fields and stores the schema version', async () => {
    await store.append('session-1', [recordable(nested)], 'none');
    const [event] = await stored('session-1');
    const { interactions, interactionsAsSent, fileName, deviceLink, ...others } = nested.data;
    const { openIdLogin, documents, documentTexts, riskSignals, ...open } = others;
    const lacking = [openIdLogin, documents, documentTexts, riskSignals];
    expect(lacking, 'what the version before says, too').to.deep.equal([false, null, null, null]);
    const data = JSON.parse(event?.data ?? '') as Record<string, unknown>;
    const { of, sealed } = data['~personal'] as { of: string; sealed: string };
    expect(data).to.deep.equal({ ...open, '~personal': { of, sealed } });
    expect(of).to.equal(BAT);
    expect(JSON.parse((await vault.decrypt(BAT, sealed)) ?? '')).to.deep.equal({
      interactions,
      interactionsAsSent,
      fileName,
      deviceLink,
    });
    expect(JSON.parse(event?.metadata ?? '')).to.have.property('schemaVersion', 4);
  });

  it('shows placeholders for a forgotten person and everything else as it was', async () => {
    const other = { ...sampleEvents.CitizenEnrolled.data, civilId: '110000000002' };
    await store.append('citizen-1', [recordable(sampleEvents.CitizenEnrolled)], 'none');
    await store.append('citizen-2', [recordable({ type: 'CitizenEnrolled', data: other })], 'none');
    await store.append('session-1', [recordable(nested)], 'none');
    await store.append('session-2', [recordable(anonymousLink)], 'none');
    await store.append('certificate-1', [recordable(sampleEvents.CertificateIssued)], 'none');
    await vault.forget(BAT);
    const dataOf = async (stream: string) => (await read(stream))[0]?.event.data;
    expect(await dataOf('citizen-1')).to.deep.equal({
      ...sampleEvents.CitizenEnrolled.data,
      identity: forgottenIdentity,
    });
    expect(await dataOf('session-1')).to.deep.equal({
      ...nested.data,
      interactions: [],
      interactionsAsSent: null,
      fileName: null,
      onBehalfOf: null,
      deviceLink: null,
    });
    expect(await dataOf('certificate-1')).to.deep.equal({
      ...sampleEvents.CertificateIssued.data,
      certificate: FORGOTTEN,
    });
    expect(await dataOf('citizen-2')).to.deep.equal(other);
    expect(await dataOf('session-2')).to.deep.equal(anonymousLink.data);
  });

  it('refuses new personal data of a forgotten person and stores none of the append', async () => {
    await vault.forget(BAT);
    const events = [sampleEvents.SubsystemSeen, sampleEvents.CitizenEnrolled].map((event) =>
      recordable(event),
    );
    const fault = await rejection(store.append('citizen-1', events, 'none'));
    expect(fault).to.be.instanceOf(SubjectForgotten);
    expect(await stored('citizen-1')).to.deep.equal([]);
  });

  it('refuses to store what it could not read again, without repeating it', async () => {
    const extra = { ...sampleEvents.SubsystemSeen.data, givenName: sampleIdentity.givenName };
    const fault = await rejection(
      store.append('relyingParty-1', [recordable({ type: 'SubsystemSeen', data: extra })], 'none'),
    );
    expect(fault).to.be.instanceOf(UnstorableEvent);
    const { cause } = fault as Error;
    expect(String(fault) + String(cause)).not.to.contain(sampleIdentity.givenName);
    const unknown = recordable({ type: 'Invented', data: {} });
    expect(await rejection(store.append('session-1', [unknown], 'none'))).to.be.instanceOf(
      UnknownEvent,
    );
  });

  it('names the event whose type, version or shape it does not know', async () => {
    const put = (stream: string, type: string, data: object, schemaVersion: number) =>
      log.append(
        stream,
        [
          {
            id: recordable(sampleEvents.SessionExpired).id,
            type,
            data: JSON.stringify(data),
            metadata: JSON.stringify({ schemaVersion }),
          },
        ],
        'none',
      );
    await put('session-1', 'Invented', {}, 1);
    await put('session-2', 'SessionExpired', sampleEvents.SessionExpired.data, 2);
    await put('session-3', 'SessionExpired', { completedAt: 7 }, 1);
    for (const stream of ['session-1', 'session-2', 'session-3']) {
      const fault = await rejection(read(stream));
      expect(fault, stream).to.be.instanceOf(UndecodableEvent);
      const { cause } = fault as Error;
      expect(cause, stream).to.be.instanceOf(stream === 'session-3' ? Error : UnknownEvent);
    }
  });

  describe('on an event of an older schema version', () => {
    // Version 1 had one name; version 2 parted it; version 3 added a note. The name is personal in all of them.
    const personal = {
      subject: (data: object) => (data as { civilId: string }).civilId,
      placeholders: { given: FORGOTTEN, family: FORGOTTEN },
    };
    const old: Catalog = {
      Renamed: {
        version: 1,
        personal: { subject: personal.subject, placeholders: { name: FORGOTTEN } },
        schema: z.strictObject({ civilId: z.string(), name: z.string() }),
      },
    };
    const today: Catalog = {
      Renamed: {
        version: 3,
        personal,
        schema: z.strictObject({
          civilId: z.string(),
          given: z.string(),
          family: z.string(),
          note: z.string().nullable(),
        }),
      },
    };
    const upcasters: Upcasters = {
      Renamed: [
        ({ name, ...data }) => {
          const [given, family] = typeof name === 'string' ? name.split(' ') : [];
          return { given, family, ...data };
        },
        (data) => ({ ...data, note: null }),
      ],
    };
    let current: EventStore;

    beforeEach(async () => {
      const event = { type: 'Renamed', data: { civilId: BAT, name: 'Бат Боржигон' } };
      const before = createEventLog({ store: log, vault, catalog: old, upcasters: {} });
      await before.append('citizen-1', [recordable(event)], 'none');
      current = createEventLog({ store: log, vault, catalog: today, upcasters });
    });

    it('brings it step by step to the newest shape', async () => {
      expect((await read('citizen-1', current))[0]?.event.data).to.deep.equal({
        civilId: BAT,
        given: 'Бат',
        family: 'Боржигон',
        note: null,
      });
    });

    it("puts today's placeholders into it when the person was forgotten", async () => {
      await vault.forget(BAT);
      expect((await read('citizen-1', current))[0]?.event.data).to.deep.equal({
        civilId: BAT,
        given: FORGOTTEN,
        family: FORGOTTEN,
        note: null,
      });
    });

    it('fails by name when a step is missing', async () => {
      const gap = createEventLog({
        store: log,
        vault,
        catalog: today,
        upcasters: { Renamed: upcasters['Renamed']?.slice(0, 1) ?? [] },
      });
      const fault = await rejection(read('citizen-1', gap));
      expect((fault as Error).cause).to.be.instanceOf(UnknownEvent);
      expect(String((fault as Error).cause)).to.contain('Renamed, schema version 2');
    });
  });

  function collect(from: EventStore, received: RecordedEvent[]) {
    return from.subscribe({
      after: null,
      onBatch: (events) => {
        received.push(...events);
        return Promise.resolve();
      },
    });
  }

  describe('F12: the IP address in the metadata', () => {
    const from = (event: DomainEvent, actor: EventMetadata['actor']): NewEvent => {
      const plain = recordable(event);
      return { ...plain, metadata: { ...plain.metadata, actor, ip: '192.0.2.7' } };
    };
    const { CertificateChosen } = sampleEvents;
    const actors = {
      device: { actor: { kind: 'device', id: 'a phone' }, key: BAT },
      citizen: { actor: { kind: 'citizen', id: '110000000002' }, key: '110000000002' },
      operator: { actor: { kind: 'operator', id: 'o1' }, key: 'operator:o1' },
      relyingParty: { actor: { kind: 'relyingParty', id: 'r1' }, key: '' },
    } as const;

    for (const [kind, { actor, key }] of Object.entries(actors)) {
      it(`is encrypted under the key of who acted: ${kind}`, async () => {
        await store.append('session-1', [from(CertificateChosen, actor)], 'none');
        const [event] = await stored('session-1');
        expect(event?.metadata).to.contain(`"ip":"~${key}~`);
        expect(event?.metadata).not.to.contain('192.0.2.7');
        const [recorded] = await read('session-1');
        const { ip } = recorded?.metadata ?? { ip: null };
        expect(await vault.decryptAddress(ip)).to.equal('192.0.2.7');
        if (key === '') return;
        await vault.forget(key);
        expect(await vault.decryptAddress(ip)).to.equal(null);
      });
    }

    it('is handed to subscribers of this process encrypted, too', async () => {
      const received: RecordedEvent[] = [];
      const subscription = collect(store, received);
      await store.append('session-1', [from(CertificateChosen, actors.device.actor)], 'none');
      await until(() => received.length === 1);
      await subscription.stop();
      expect(received[0]?.metadata.ip).to.match(/^~110000000001~/);
    });

    it('of a forgotten person is dropped, and the event is still appended', async () => {
      await vault.forget(BAT);
      await store.append('session-1', [from(CertificateChosen, actors.device.actor)], 'none');
      expect((await read('session-1'))[0]?.metadata.ip).to.equal(null);
    });

    it('of events written before is read as it stands', async () => {
      expect(await vault.decryptAddress('192.0.2.7')).to.equal('192.0.2.7');
      expect(await vault.decryptAddress(null)).to.equal(null);
    });
  });

  describe('in a subscription', () => {
    const mixed = (count: number): NewEvent[] =>
      Array.from({ length: count }, (_, index) =>
        recordable(
          index % 3 === 0
            ? {
                type: 'CitizenEnrolled',
                data: {
                  ...sampleEvents.CitizenEnrolled.data,
                  civilId: String(120000000000 + (index % 40)),
                },
              }
            : sampleEvents.SubsystemSeen,
        ),
      );

    it('keeps the order of events with and without personal data', async () => {
      const events = mixed(500);
      await store.append('citizen-1', events, 'none');
      const received: RecordedEvent[] = [];
      const subscription = collect(store, received);
      await until(() => received.length === events.length);
      await subscription.stop();
      expect(received.map(({ id, event }) => ({ id, event }))).to.deep.equal(
        events.map(({ id, event }) => ({ id, event })),
      );
    });

    it('decodes an event once for all subscribers, and again after someone was forgotten', async () => {
      let opened = 0;
      const counting = createEventLog({
        store: log,
        vault: {
          ...vault,
          decryptAtOnce: () => undefined,
          decrypt: (subject, encrypted) => {
            opened += 1;
            return vault.decrypt(subject, encrypted);
          },
        },
      });
      await counting.append('citizen-1', [recordable(sampleEvents.CitizenEnrolled)], 'none');
      const [first, second, third]: [RecordedEvent[], RecordedEvent[], RecordedEvent[]] = [
        [],
        [],
        [],
      ];
      const early = [collect(counting, first), collect(counting, second)];
      await until(() => first.length + second.length === 2);
      expect(opened).to.equal(1);
      expect(first[0]).to.equal(second[0]);
      await vault.forget(BAT);
      const late = collect(counting, third);
      await until(() => third.length === 1);
      expect(third[0]?.event.data).to.have.property('identity').that.deep.equals(forgottenIdentity);
      await Promise.all([...early, late].map((one) => one.stop()));
    });

    it('shows placeholders to a subscriber without use for personal data, and needs no key for it', async () => {
      const keyless = createEventLog({
        store: log,
        vault: {
          ...vault,
          decryptAtOnce: () => {
            throw new Error('Nothing may be opened.');
          },
        },
      });
      const events = [
        recordable(sampleEvents.CitizenEnrolled),
        recordable(sampleEvents.SubsystemSeen),
      ];
      await keyless.append('citizen-1', events, 'none');
      const received: RecordedEvent[] = [];
      const subscription = keyless.subscribe({
        after: null,
        withoutPersonalData: true,
        onBatch: (batch) => {
          received.push(...batch);
          return Promise.resolve();
        },
      });
      await until(() => received.length === 2);
      await subscription.stop();
      expect(received.map(({ event }) => event)).to.deep.equal([
        {
          type: 'CitizenEnrolled',
          data: { ...sampleEvents.CitizenEnrolled.data, identity: forgottenIdentity },
        },
        sampleEvents.SubsystemSeen,
      ]);
      expect(received.map(({ metadata }) => metadata)).to.deep.equal(
        events.map(({ metadata }) => metadata),
      );
    });

    it('waits while the keys cannot be reached, and goes on where it was', async () => {
      let isAway = true;
      let tried = 0;
      const flaky = createEventLog({
        store: log,
        vault: {
          ...vault,
          decryptAtOnce: () => undefined,
          decrypt: (subject, encrypted) => {
            tried += 1;
            return isAway
              ? Promise.reject(new Unavailable('database'))
              : vault.decrypt(subject, encrypted);
          },
        },
      });
      await store.append('citizen-1', [recordable(sampleEvents.CitizenEnrolled)], 'none');
      expect(await rejection(read('citizen-1', flaky))).to.be.instanceOf(Unavailable);
      const received: RecordedEvent[] = [];
      tried = 0;
      const subscription = collect(flaky, received);
      await until(() => tried > 0);
      isAway = false;
      await until(() => received.length === 1);
      await subscription.stop();
    });

    it('stops at once though it is waiting for keys', async () => {
      let tried = 0;
      const away = createEventLog({
        store: log,
        vault: {
          ...vault,
          decryptAtOnce: () => undefined,
          decrypt: () => {
            tried += 1;
            return Promise.reject(new Unavailable('database'));
          },
        },
      });
      await store.append('citizen-1', [recordable(sampleEvents.CitizenEnrolled)], 'none');
      const received: RecordedEvent[] = [];
      const subscription = collect(away, received);
      await until(() => tried > 0);
      await subscription.stop();
      expect(received).to.deep.equal([]);
    });

    it('ends and says why when an event cannot be decoded', async () => {
      await store.append('session-1', [recordable(sampleEvents.SessionExpired)], 'none');
      const { SubsystemSeen } = catalog;
      if (SubsystemSeen === undefined) throw new Error('The catalog lacks SubsystemSeen.');
      const older = createEventLog({ store: log, vault, catalog: { SubsystemSeen } });
      const cause = await new Promise<unknown>((resolve) => {
        older.subscribe({
          after: null,
          onBatch: () => Promise.resolve(),
          onStopped: resolve,
        });
      });
      expect(cause).to.be.instanceOf(UndecodableEvent);
    });

    it('hands out an event that cannot be decoded, marked, to a subscriber that asks for that', async () => {
      await store.append('session-1', [recordable(sampleEvents.SessionExpired)], 'none');
      await store.append('relyingParty-1', [recordable(sampleEvents.SubsystemSeen)], 'none');
      const { SubsystemSeen } = catalog;
      if (SubsystemSeen === undefined) throw new Error('The catalog lacks SubsystemSeen.');
      const older = createEventLog({ store: log, vault, catalog: { SubsystemSeen } });
      const received: RecordedEvent[] = [];
      const subscription = older.subscribe({
        after: null,
        keepUndecodable: true,
        onBatch: (events) => {
          received.push(...events);
          return Promise.resolve();
        },
      });
      await until(() => received.length === 2);
      await subscription.stop();
      const [undecodable, decoded] = received;
      expect(undecodable?.undecodable).to.be.instanceOf(UndecodableEvent);
      expect(undecodable).to.include({ stream: 'session-1', revision: 0n });
      expect(undecodable?.event).to.deep.equal({ type: 'SessionExpired', data: {} });
      expect(decoded).to.not.have.property('undecodable');
      expect(decoded?.event).to.deep.equal(sampleEvents.SubsystemSeen);
    });
  });
});
