import { expect } from 'chai';
import type { ApprovalRequested } from '../../domain/approval/events.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createLists } from '../../projections/engine/lists.ts';
import { createNames, type Names } from '../../projections/names.ts';
import { createPeopleViews } from '../../projections/people.ts';
import {
  bat,
  certificateIssued,
  certificateRequested,
  citizenEnrolled,
  deviceEnrolled,
  recordable,
  relyingPartyRegistered,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

type Requested = ApprovalRequested['data'];

const documentOf = (number: number) => `d0000000-0000-4000-8000-0000000000${10 + number}`;
const serialOf = (number: number) => `aa${10 + number}`;
const civilIdOf = (number: number) => `1400000000${10 + number}`;
const operatorId = 'e0000000-0000-4000-8000-000000000001';
const relyingPartyId = 'f0000000-0000-4000-8000-000000000001';
const unregisteredId = 'f0000000-0000-4000-8000-000000000002';
const [registrationId, revocationId] = [
  'c0000000-0000-4000-8000-000000000001',
  'c0000000-0000-4000-8000-000000000002',
];

function approvalRequested(approvalId: string, asked: Partial<Requested>): DomainEvent {
  const data: Requested = {
    approvalId,
    operation: 'certificate.revoke',
    command: '{}',
    commandHash: approvalId,
    capability: 'cert:revoke',
    subject: serialOf(1),
    civilId: null,
    effects: [],
    targets: [],
    execution: 'AT_ONCE',
    comment: null,
    requestedBy: operatorId,
    requestedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-04T00:00:00.000Z',
    ...asked,
  };
  return { type: 'ApprovalRequested', data };
}

describe('Names', function () {
  this.timeout(60_000);
  let side: ReadSide;
  let names: Names;
  let queries = 0;

  async function append(stream: string, ...events: readonly DomainEvent[]): Promise<void> {
    for (const event of events) await side.eventStore.append(stream, [recordable(event)], 'any');
  }

  async function enrol(number: number, givenName: string): Promise<void> {
    const [civilId, serial, documentNumber] = [
      civilIdOf(number),
      serialOf(number),
      documentOf(number),
    ];
    const identity = { ...bat, surname: 'Дорж', givenName };
    await append(`citizen-${civilId}`, citizenEnrolled(civilId, identity));
    const holder = { kind: 'citizen', civilId, documentNumber } as const;
    await append(
      `certificate-${serial}`,
      certificateRequested(serial, { type: 'SIGN', holder }),
      certificateIssued(serial, civilId),
    );
    await append(`device-${documentNumber}`, deviceEnrolled(documentNumber, { civilId }));
  }

  before(async () => {
    side = await openReadSide();
    const database = side.database.withPlugin({
      transformQuery: ({ node }) => {
        queries += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const people = createPeopleViews({ ...side, database, lists: createLists(side) });
    const operator = { operatorId, email: 'operator@tamga.example' };
    const operators = {
      current: () => Promise.resolve(new Map([[operatorId, operator]]) as never),
    };
    names = createNames({ database, people, operators });
    for (const number of [1, 2, 3]) await enrol(number, `Бат${number}`);
    await append('organization-5512345', {
      type: 'OrganizationRegistered',
      data: {
        register: '5512345',
        name: 'Тамга ХХК',
        nameLatin: 'TAMGA LLC',
        status: 'ACTIVE',
        registeredAt: '2026-01-01T00:00:00.000Z',
      },
    });
    await append(
      `relyingParty-${relyingPartyId}`,
      relyingPartyRegistered(relyingPartyId, { name: 'Тамга банк' }),
    );
    await append(
      `approval-${registrationId}`,
      approvalRequested(registrationId, {
        operation: 'relyingParty.register',
        subject: unregisteredId,
        effects: [{ target: 'relying party Шинэ Банк', before: 'none', after: 'ACTIVE' }],
      }),
    );
    await append(`approval-${revocationId}`, approvalRequested(revocationId, {}));
    await side.vault.forget(civilIdOf(3));
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
  });

  after(() => side.close());

  it('are those of owners, holders, operators and parties; a forgotten person has none', async () => {
    const found = await names.of([
      `PNOMN-${civilIdOf(1)}`,
      documentOf(2),
      serialOf(1),
      serialOf(3),
      operatorId,
      relyingPartyId,
      'NTRMN-5512345',
      'a0000000-0000-4000-8000-000000000009',
    ]);
    expect(Object.fromEntries(found)).to.deep.equal({
      [`PNOMN-${civilIdOf(1)}`]: { kind: 'citizen', name: 'Дорж Бат1', type: null },
      [documentOf(2)]: { kind: 'device', name: 'Дорж Бат2', type: 'FCM' },
      [serialOf(1)]: { kind: 'certificate', name: 'Дорж Бат1', type: 'SIGN' },
      [serialOf(3)]: { kind: 'certificate', name: null, type: 'SIGN' },
      [operatorId]: { kind: 'operator', name: 'operator@tamga.example', type: null },
      [relyingPartyId]: { kind: 'relyingParty', name: 'Тамга банк', type: null },
      'NTRMN-5512345': { kind: 'organization', name: 'Тамга ХХК', type: null },
    });
  });

  it('of requests for approval are those of what they are about, registered or to be registered', async () => {
    const found = await names.of([registrationId, revocationId, unregisteredId]);
    expect(Object.fromEntries(found)).to.deep.equal({
      [registrationId]: { kind: 'approval', name: 'Шинэ Банк', type: 'relyingParty.register' },
      [revocationId]: { kind: 'approval', name: 'Дорж Бат1', type: 'certificate.revoke' },
      [unregisteredId]: { kind: 'relyingParty', name: 'Шинэ Банк', type: null },
    });
  });

  it('lead to what is to be registered', async () => {
    expect(await names.askedFor('шинэ')).to.deep.equal([unregisteredId]);
    expect(await names.askedFor('банк')).to.deep.equal([unregisteredId]);
    expect(await names.askedFor('relying party')).to.deep.equal([]);
    expect(await names.askedFor('   ')).to.deep.equal([]);
  });

  it('take as many queries for all ids as for one', async () => {
    const asked = async (ids: readonly string[]) => {
      const before = queries;
      await names.of(ids);
      return queries - before;
    };
    const one = await asked([documentOf(1)]);
    const many = await asked([1, 2, 3].flatMap((each) => [documentOf(each), serialOf(each)]));
    expect([one, many]).to.deep.equal([2, 2]);
  });

  it('lead to ids: by part of an e-mail, beginnings of names, a register', async () => {
    const ids = async (text: string) => (await names.find(text, 10, 'byPart')).map(({ id }) => id);
    expect(await ids('operator@')).to.deep.equal([operatorId]);
    expect(await ids('дорж бат2')).to.deep.equal([`PNOMN-${civilIdOf(2)}`]);
    expect((await ids('тамга')).sort()).to.deep.equal(['NTRMN-5512345', relyingPartyId].sort());
    expect(await ids('   ')).to.deep.equal([]);
  });

  it('lead to operators by the whole e-mail alone, unless a part is asked for', async () => {
    const ids = async (text: string) => (await names.find(text, 10)).map(({ id }) => id);
    expect(await ids('operator@')).to.deep.equal([]);
    expect(await ids('Operator@tamga.example')).to.deep.equal([operatorId]);
  });

  it('lead to what is called exactly so, and to nothing that begins so', async () => {
    const ids = async (text: string) => (await names.called(text))?.map(({ id }) => id);
    expect(await ids('Operator@Tamga.example')).to.deep.equal([operatorId]);
    expect(await ids('operator@')).to.deep.equal([]);
    expect(await ids('тамга банк')).to.deep.equal([relyingPartyId]);
    expect(await ids('Тамга')).to.deep.equal([]);
    expect(await ids('TAMGA LLC')).to.deep.equal(['NTRMN-5512345']);
    expect(await ids('Дорж Бат1')).to.deep.equal([`PNOMN-${civilIdOf(1)}`]);
    expect(await ids('Бат2')).to.deep.equal([`PNOMN-${civilIdOf(2)}`]);
    expect(await ids('Дорж')).to.deep.equal([]);
    expect(await ids(civilIdOf(2))).to.deep.equal([`PNOMN-${civilIdOf(2)}`]);
    expect(await ids('documents')).to.deep.equal([]);
  });
});
