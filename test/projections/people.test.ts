import { expect } from 'chai';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import type { Identity } from '../../domain/citizen/events.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createCitizenTraces } from '../../projections/citizens.ts';
import type { CertificateViewStatus } from '../../projections/peopleViews.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { nameIndex } from '../../projections/engine/nameIndex.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createLists } from '../../projections/engine/lists.ts';
import { createPeopleViews } from '../../projections/people.ts';
import {
  bat,
  certificateIssued,
  certificateRequested,
  citizenEnrolled,
  deviceEnrolled,
  recordable,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const batErdene: Identity = {
  ...bat,
  givenName: 'Бат-Эрдэнэ',
  surname: 'Дорж',
  familyName: 'Боржигон',
  givenNameLatin: 'Bat-Erdene',
  surnameLatin: 'Dorj',
  registrationNumber: 'уб85031512',
};
const tuya: Identity = {
  ...bat,
  givenName: 'Мөнгөнтуяа',
  surname: 'Ёндон',
  familyName: 'Харчин Үүлд',
  givenNameLatin: 'Munguntuya',
  surnameLatin: 'Yondon',
  registrationNumber: 'шө57480913',
  gender: 'F',
};
const dorj: Identity = {
  ...bat,
  givenName: 'Дорж',
  surname: 'Бат',
  familyName: 'Цорос',
  givenNameLatin: 'Dorj',
  surnameLatin: 'Bat',
  registrationNumber: 'чө61110713',
};

const persons = { batErdene, tuya, dorj };
type Person = keyof typeof persons;
const names = Object.keys(persons) as Person[];

const number = (person: Person) => names.indexOf(person) + 1;
const civilIdOf = (person: Person) => `14000000000${number(person)}`;
const documentOf = (person: Person) => `d0000000-0000-4000-8000-00000000000${number(person)}`;
/** The later, the higher its number. */
const enrolledAt = (person: Person) => `2026-01-0${number(person)}T00:00:00.000Z`;
const serialOf = (person: Person, type: 'AUTH' | 'SIGN') =>
  `${type === 'AUTH' ? 'aa' : 'bb'}0${number(person)}`;

const all = { limit: 50, offset: 0 };
const now = new Date('2026-06-01T00:00:00.000Z');

describe('What operators find', function () {
  this.timeout(60_000);
  let side: ReadSide;
  let people: ReturnType<typeof createPeopleViews>;

  async function append(stream: string, ...events: readonly DomainEvent[]): Promise<void> {
    for (const event of events) await side.eventStore.append(stream, [recordable(event)], 'any');
  }

  async function enrol(person: Person): Promise<void> {
    const civilId = civilIdOf(person);
    const documentNumber = documentOf(person);
    const enrolled = citizenEnrolled(civilId, persons[person]);
    const at = enrolledAt(person);
    await append(`citizen-${civilId}`, { ...enrolled, data: { ...enrolled.data, enrolledAt: at } });
    for (const type of ['AUTH', 'SIGN'] as const) {
      const serial = serialOf(person, type);
      const holder = { kind: 'citizen', civilId, documentNumber } as const;
      const notAfter = `2029-01-0${number(person)}T00:00:00.000Z`;
      await append(
        `certificate-${serial}`,
        certificateRequested(serial, { type, holder, notAfter }),
        certificateIssued(serial, civilId),
      );
    }
    await append(
      `device-${documentNumber}`,
      deviceEnrolled(documentNumber, {
        civilId,
        authenticationSerial: serialOf(person, 'AUTH'),
        signingSerial: serialOf(person, 'SIGN'),
        enrolledAt: at,
      }),
    );
  }

  before(async () => {
    side = await openReadSide();
    people = createPeopleViews({ ...side, lists: createLists(side) });
    for (const person of names) await enrol(person);
    const register = '5512345';
    await append(
      'certificate-ee01',
      certificateRequested('ee01', {
        type: 'SEAL',
        holder: { kind: 'organization', register },
        authority: 'organization',
        keyLabel: 'eseal-5512345',
      }),
    );
    await append(`organization-${register}`, {
      type: 'OrganizationRegistered',
      data: {
        register,
        name: 'Тамга ХХК',
        nameLatin: 'TAMGA LLC',
        status: 'ACTIVE',
        registeredAt: '2026-01-01T00:00:00.000Z',
      },
    });
    await append(
      'certificate-ff01',
      certificateRequested('ff01', {
        type: 'TSA',
        level: null,
        authority: 'root',
        holder: { kind: 'service', purpose: 'TSA' },
      }),
    );
    const at = '2026-03-01T00:00:00.000Z';
    await append('certificate-aa01', {
      type: 'CertificateSuperseded',
      data: { serial: 'aa01', supersededBy: 'bb01', supersededAt: at },
    });
    await append('certificate-aa02', {
      type: 'CertificateRevoked',
      data: { serial: 'aa02', reason: 1, revokedAt: at },
    });
    await append('certificate-aa03', {
      type: 'CertificateSuspended',
      data: { serial: 'aa03', suspendedAt: at },
    });
    await append('device-' + documentOf('tuya'), {
      type: 'DeviceDeactivated',
      data: { documentNumber: documentOf('tuya'), reason: 1, deactivatedAt: at },
    });
    const earlier = {
      civilId: civilIdOf('batErdene'),
      documentNumber: 'd0000000-0000-4000-8000-0000000000aa',
    };
    await append(
      'certificate-ab01',
      certificateRequested('ab01', { holder: { kind: 'citizen', ...earlier }, notAfter: at }),
      certificateIssued('ab01', earlier.civilId),
    );
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
  });

  after(() => side.close());

  /** Names of the people found, in order. */
  async function found(q: string | null): Promise<readonly (Person | undefined)[]> {
    const { items, total, isTotalExact } = await people.citizens(q, all);
    expect(total).to.equal(items.length);
    expect(isTotalExact).to.equal(true);
    return items.map(({ civilId }) => names.find((person) => civilIdOf(person) === civilId));
  }

  describe('among citizens', () => {
    const searches: readonly (readonly [string, string | null, readonly Person[]])[] = [
      ['everybody, who enrolled last first', null, ['dorj', 'tuya', 'batErdene']],
      ['by ETSI identifier', `PNOMN-${civilIdOf('tuya')}`, ['tuya']],
      ['by ETSI identifier in lower case', `pnomn-${civilIdOf('tuya')}`, ['tuya']],
      ['by civil id', civilIdOf('dorj'), ['dorj']],
      ['by registration number', 'шө57480913', ['tuya']],
      ['by registration number in capitals', 'ШӨ57480913', ['tuya']],
      ['by registration number behind the prefix', 'PNOMN-Шө57480913', ['tuya']],
      ['by given name', 'Мөнгөнтуяа', ['tuya']],
      ['by given name in capitals', 'МӨНГӨНТУЯА', ['tuya']],
      ['by given name in small letters', 'мөнгөнтуяа', ['tuya']],
      ["by father's name", 'ёндон', ['tuya']],
      ['by family name', 'боржигон', ['batErdene']],
      ['by a later word of the family name', 'үүлд', ['tuya']],
      ['by Latin given name', 'munguntuya', ['tuya']],
      ["by Latin father's name in capitals", 'YONDON', ['tuya']],
      ['by given and father’s name, in either order', 'ёндон мөнгөнтуяа', ['tuya']],
      ['by initial and given name', 'Д.Бат-Эрдэнэ', ['batErdene']],
      ['by both parts of a name', 'Бат-Эрдэнэ', ['batErdene']],
      ['by a name of two parts written as one', 'батэрдэнэ', ['batErdene']],
      ['by the later part of a name', 'эрдэнэ', ['batErdene']],
      ['by what a word begins with', 'мөнг', ['tuya']],
      ['by one letter', 'ц', ['dorj']],
      ['by what several words begin with', 'бо эрд', ['batErdene']],
      ['several of a name, who enrolled last first', 'бат дорж', ['dorj', 'batErdene']],
      ['by Cyrillic and Latin words together', 'dorj бат', ['dorj', 'batErdene']],
      ['decomposed letters', 'Ёндон'.normalize('NFD'), ['tuya']],
      ['the owner of a device', documentOf('tuya'), ['tuya']],
      ['the owner of a device in capitals', documentOf('tuya').toUpperCase(), ['tuya']],
      ['nobody by the end of a word', 'туяа', []],
      ['nobody when one word does not fit', 'бат мөнг', []],
      ['nobody by an unknown civil id', '149999999999', []],
      ['nobody by an unknown registration number', 'аа00000000', []],
      ['nobody by an unknown document number', 'd0000000-0000-4000-8000-0000000000ff', []],
      ['nobody by wildcards', '%', []],
      ['nobody by wildcards within a word', 'мө%', []],
      ['nobody by an underscore', '_', []],
      ['nobody by operators of a text search', '!мөнг | бат', []],
      ['nobody by a prefix operator', 'м:*', []],
      ['nobody by SQL', "'; drop table citizen_search; --", []],
      ['nobody by a backslash and quotes', '\\\' " \\', []],
      ['nobody by punctuation', '---', []],
    ];
    for (const [sentence, q, expected] of searches) {
      it(sentence, async () => {
        expect(await found(q)).to.deep.equal(expected);
      });
    }

    it('a part, with the number of all', async () => {
      const { items, total } = await people.citizens(null, { limit: 1, offset: 1 });
      expect(items.map(({ civilId }) => civilId)).to.deep.equal([civilIdOf('tuya')]);
      expect(total).to.equal(3);
      const beyond = await people.citizens('бат', { limit: 10, offset: 2 });
      expect(beyond).to.deep.include({ items: [], total: 2, isTotalExact: true });
    });

    it('who they are, and nothing else', async () => {
      const [shown] = (await people.citizens('мөнгөнтуяа', all)).items;
      expect(shown).to.deep.equal({
        etsi: `PNOMN-${civilIdOf('tuya')}`,
        civilId: civilIdOf('tuya'),
        regNo: 'шө57480913',
        firstName: 'Мөнгөнтуяа',
        lastName: 'Ёндон',
        familyName: 'Харчин Үүлд',
        firstNameEn: 'Munguntuya',
        lastNameEn: 'Yondon',
        birthDate: '1990-01-01',
        gender: 'F',
        geID: 42,
        enrolledAt: enrolledAt('tuya'),
        forgotten: false,
      });
    });
  });

  describe('among devices', () => {
    const searches: readonly (readonly [
      string,
      string | null,
      boolean | null,
      readonly Person[],
    ])[] = [
      ['every one, enrolled last first', null, null, ['dorj', 'tuya', 'batErdene']],
      ['those in use', null, true, ['dorj', 'batErdene']],
      ['those given up', null, false, ['tuya']],
      ['one by its number', documentOf('tuya'), null, ['tuya']],
      ['one by its number in capitals', documentOf('tuya').toUpperCase(), null, ['tuya']],
      ['none of another state by its number', documentOf('tuya'), true, []],
      ['by the owner’s ETSI identifier', `PNOMN-${civilIdOf('dorj')}`, null, ['dorj']],
      ['by the owner’s registration number', 'ЧӨ61110713', null, ['dorj']],
      ['by the owner’s names', 'бат дорж', null, ['dorj', 'batErdene']],
      ['by the owner’s names, those given up', 'харчин', false, ['tuya']],
      ['none by an unknown owner', 'PNOMN-149999999999', null, []],
      ['none by wildcards', 'd000%', null, []],
    ];
    for (const [sentence, q, active, expected] of searches) {
      it(sentence, async () => {
        const { items, total } = await people.devices({ q, active }, all);
        expect(items.map(({ documentNumber }) => documentNumber)).to.deep.equal(
          expected.map(documentOf),
        );
        expect(total).to.equal(expected.length);
      });
    }

    it('whose they are and how they are reached, and no key', async () => {
      expect(await people.device(documentOf('tuya'))).to.deep.equal({
        documentNumber: documentOf('tuya'),
        owner: { etsi: `PNOMN-${civilIdOf('tuya')}`, name: 'Ёндон Мөнгөнтуяа' },
        platform: 'FCM',
        active: false,
        reachedByPush: true,
        authenticationSerial: serialOf('tuya', 'AUTH'),
        signingSerial: serialOf('tuya', 'SIGN'),
        enrolledAt: enrolledAt('tuya'),
        deactivatedAt: '2026-03-01T00:00:00.000Z',
      });
      expect(await people.device('d')).to.equal(null);
    });
  });

  describe('among certificates', () => {
    const of = (...holders: readonly Person[]) =>
      holders.flatMap((person) => [serialOf(person, 'SIGN'), serialOf(person, 'AUTH')]);
    const searches: readonly (readonly [
      string,
      string | null,
      CertificateViewStatus | null,
      readonly string[],
    ])[] = [
      [
        'every one, which ends last first',
        null,
        null,
        [...of('dorj', 'tuya'), 'ff01', 'ee01', ...of('batErdene'), 'ab01'],
      ],
      ['valid ones', null, 'VALID', ['bb03', 'bb02', 'bb01']],
      ['revoked ones', null, 'REVOKED', ['aa02']],
      ['suspended ones', null, 'SUSPENDED', ['aa03']],
      ['superseded ones', null, 'SUPERSEDED', ['aa01']],
      ['expired ones', null, 'EXPIRED', ['ab01']],
      ['requested ones', null, 'REQUESTED', ['ff01', 'ee01']],
      ['one by its serial', 'aa02', null, ['aa02']],
      ['one by its serial in capitals, with colons', 'AA:02', null, ['aa02']],
      ['none of another status by its serial', 'aa02', 'VALID', []],
      ['by ETSI identifier', `PNOMN-${civilIdOf('tuya')}`, null, of('tuya')],
      ['by registration number', 'ШӨ57480913', null, of('tuya')],
      ['by document number', documentOf('dorj'), null, of('dorj')],
      ['by names of the holder', 'бат дорж', null, [...of('dorj'), 'bb01', 'aa01', 'ab01']],
      ['by names of the holder and status', 'бат дорж', 'VALID', ['bb03', 'bb01']],
      ["by an organization's identifier", 'NTRMN-5512345', null, ['ee01']],
      ["by an organization's register", '5512345', null, ['ee01']],
      ["by an organization's name", 'Тамга ХХК', null, ['ee01']],
      ["by an organization's Latin name", 'tamga llc', null, ['ee01']],
      ['none by wildcards', 'aa0_', null, []],
      ['none by SQL', "' or true --", null, []],
    ];
    for (const [sentence, q, status, expected] of searches) {
      it(sentence, async () => {
        const { items, total } = await people.certificates({ q, status }, now, all);
        expect(items.map(({ serial }) => serial)).to.deep.equal(expected);
        expect(total).to.equal(expected.length);
        if (status === null) return;
        expect(new Set(items.map((item) => item.status))).to.deep.equal(
          new Set(expected.length === 0 ? [] : [status]),
        );
      });
    }

    it('whose they are and what became of them, and neither key nor body', async () => {
      const { items } = await people.certificates({ q: 'aa02', status: null }, now, all);
      expect(items).to.deep.equal([
        {
          serial: 'aa02',
          type: 'AUTH',
          level: 'QUALIFIED',
          keyType: 'P-256',
          status: 'REVOKED',
          holder: {
            kind: 'citizen',
            etsi: `PNOMN-${civilIdOf('tuya')}`,
            name: 'Ёндон Мөнгөнтуяа',
            documentNumber: documentOf('tuya'),
          },
          authority: 'personal',
          issuerDn: 'CN=Personal CA',
          notBefore: '2026-01-01T00:00:00.000Z',
          notAfter: '2029-01-02T00:00:00.000Z',
          fingerprint: sha256Hex('aa02'),
          revocationReason: 1,
          revokedAt: '2026-03-01T00:00:00.000Z',
          supersededBy: null,
        },
      ]);
    });

    it('those of organizations and of the platform by their own names', async () => {
      const { items } = await people.certificates({ q: null, status: 'REQUESTED' }, now, all);
      expect(items.map(({ holder }) => holder)).to.deep.equal([
        { kind: 'service', purpose: 'TSA' },
        { kind: 'organization', etsi: 'NTRMN-5512345', name: 'Тамга ХХК' },
      ]);
    });
  });

  it('is the same after a rebuild', async () => {
    const before = await side.contents();
    const pool = createPool({ url: side.url });
    const bulkWriter = createCopyWriter({ pool });
    await rebuildReadModel('citizenSearch', { ...side, bulkWriter });
    await pool.end();
    expect(await side.contents()).to.deep.equal(before);
    expect(await found('бат дорж')).to.deep.equal(['dorj', 'batErdene']);
  });

  describe('of a forgotten citizen', () => {
    const civilId = civilIdOf('tuya');
    let fingerprints: readonly string[];

    before(async () => {
      fingerprints = nameIndex(side.vault, tuya).split(' ');
      await side.vault.forget(civilId);
      await createCitizenTraces(side.database).forget(civilId);
    });

    it('placeholders, by civil id and document number', async () => {
      for (const q of [`PNOMN-${civilId}`, documentOf('tuya')]) {
        const [shown] = (await people.citizens(q, all)).items;
        expect(shown).to.include({ civilId, forgotten: true, regNo: FORGOTTEN, gender: 'X' });
        const { firstName, lastName, familyName, firstNameEn, lastNameEn, birthDate } = shown ?? {};
        expect(
          new Set([firstName, lastName, familyName, firstNameEn, lastNameEn, birthDate]),
        ).to.deep.equal(new Set([FORGOTTEN]));
      }
      expect(await people.device(documentOf('tuya'))).to.have.nested.property(
        'owner.name',
        FORGOTTEN,
      );
    });

    it('nothing by registration number or names', async () => {
      for (const q of ['шө57480913', 'мөнгөнтуяа', 'ёндон', 'харчин', 'munguntuya', 'м']) {
        expect((await people.citizens(q, all)).total, q).to.equal(0);
        expect((await people.devices({ q, active: null }, all)).total, q).to.equal(0);
        expect((await people.certificates({ q, status: null }, now, all)).total, q).to.equal(0);
      }
    });

    it('no fingerprint that is not another person’s too', async () => {
      const others = new Set(
        [batErdene, dorj].flatMap((identity) => nameIndex(side.vault, identity).split(' ')),
      );
      const own = fingerprints.filter((each) => !others.has(each));
      expect(own).to.have.length.greaterThan(30);
      const text = JSON.stringify(await side.contents(), (_, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      );
      expect(own.filter((each) => text.includes(each))).to.deep.equal([]);
      expect(text).to.include(nameIndex(side.vault, dorj).split(' ')[0]);
    });
  });
});
