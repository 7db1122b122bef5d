import { expect } from 'chai';
import { idNamed, withNames } from '../../api/admin/names.ts';
import type { Found, Names } from '../../projections/names.ts';

const named = (id: string): Found => ({ id, kind: 'citizen', name: 'Дорж Бат', type: null });

const uuid = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const serial = 'aabbccddeeff00112233';

describe('Ids in answers of operators', () => {
  async function idsOf(body: object): Promise<readonly string[]> {
    const asked: string[] = [];
    const names: Pick<Names, 'of'> = {
      of: (ids) => {
        asked.push(...ids);
        return Promise.resolve(new Map());
      },
    };
    await withNames(names, body);
    return asked;
  }

  it('are those of declared fields, wherever they are', async () => {
    const body = {
      items: [{ sessionId: uuid(1), cert: { serial }, actor: { kind: 'operator', id: uuid(2) } }],
      details: { persons: ['PNOMN-110000000001'], register: '5512345', civilId: '110000000002' },
      actor: { kind: 'citizen', id: '110000000003' },
      effects: [
        { target: `certificate ${serial}`, before: 'VALID' },
        { target: `device ${uuid(3)}` },
      ],
    };
    expect([...(await idsOf(body))].sort()).to.deep.equal(
      [
        ...[uuid(1), uuid(2), uuid(3), serial, 'NTRMN-5512345'],
        ...['PNOMN-110000000001', 'PNOMN-110000000002', 'PNOMN-110000000003'],
      ].sort(),
    );
  });

  it('are none of the text that people write', async () => {
    const text = `PNOMN-110000000001 ${uuid(1)} ${serial}`;
    const body = {
      comment: text,
      reason: 'PNOMN-110000000001',
      requestId: uuid(1),
      interactions: [{ type: 'displayTextAndPIN', text: 'PNOMN-110000000001' }],
      fileName: uuid(1),
      details: { comment: 'PNOMN-110000000001', title: serial },
      subject: text,
      effects: [{ target: `seal certificate of nobody «${serial}»`, after: text }],
    };
    expect(await idsOf(body)).to.deep.equal([]);
  });
});

describe('The id a filter is about', () => {
  /** Asks about a text that is an id itself, or what is called so. */
  function idOf(text: string, called: readonly Found[] | null, known: readonly string[] = []) {
    const names: Pick<Names, 'of' | 'called'> = {
      of: (ids) =>
        Promise.resolve(
          new Map(ids.filter((id) => known.includes(id)).map((id) => [id, named(id)])),
        ),
      called: () => Promise.resolve(called),
    };
    return idNamed(names, { text, pointer: '#/query/actor' });
  }

  it('is the one thing called so', async () => {
    expect(await idOf('Дорж Бат', [named(uuid(1))])).to.equal(uuid(1));
  });

  it('is an id itself before it is a name', async () => {
    expect(await idOf(serial, [named(uuid(1)), named(uuid(2))], [serial])).to.equal(serial);
  });

  it('is the text where nothing is called so: an actor of the system', async () => {
    expect(await idOf('documents', [])).to.equal('documents');
  });

  it('is refused where several are called so, or too many to compare begin so', async () => {
    for (const called of [[named(uuid(1)), named(uuid(2))], null]) {
      const refusal = await idOf('Дорж Бат', called).catch((error: unknown) => error);
      expect(refusal).to.include({ code: 'INVALID_REQUEST' });
    }
  });
});
