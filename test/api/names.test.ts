import { expect } from 'chai';
import { withNames } from '../../api/admin/names.ts';
import type { Names } from '../../projections/names.ts';

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
