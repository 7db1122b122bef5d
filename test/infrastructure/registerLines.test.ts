import { createReadStream } from 'node:fs';
import { expect } from 'chai';
import type {
  EntryLine,
  RefusedLine,
} from '../../application/registerImport/ports/writableRegister.ts';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import { readCivilRecords } from '../../infrastructure/registry/civilRecordLines.ts';
import { readOrganizations } from '../../infrastructure/registry/organizationLines.ts';
import type { FileFormat } from '../../infrastructure/registry/registerLines.ts';
import { civilRecord } from '../contracts/civilRegistryContract.ts';
import { civilHeader, civilLine } from '../support/installation/registerFiles.ts';

/** A file in pieces of this many bytes. */
async function* inPieces(content: string | Buffer, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(content);
  for (let at = 0; at < all.length; at += bytes) {
    yield await Promise.resolve(all.subarray(at, at + bytes));
  }
}

async function collected<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

type Read = EntryLine<CivilRecord> | RefusedLine;

const read = (content: string | Buffer, format: FileFormat = 'csv', bytes = 65_536) =>
  collected<Read>(readCivilRecords(inPieces(content, bytes), format));
const lines = (...all: readonly string[]) => all.join('\n');
const entry = (line: number, number: number) => ({ line, entry: civilRecord(number) });

describe('A file of the civil register', () => {
  it('is read whatever the order of its columns, its byte order mark, line ends or pieces', async () => {
    const reversed = (text: string) => text.split(',').reverse().join(',');
    const text = `\uFEFF${reversed(civilHeader)}\r\n${reversed(civilLine(1))}\r\n\r\n${reversed(civilLine(2))}`;
    for (const bytes of [1, 7, 65_536]) {
      expect(await read(text, 'csv', bytes)).to.deep.equal([entry(2, 1), entry(4, 2)]);
    }
  });

  it('is read with quotation marks, and with columns that nobody knows', async () => {
    const quoted = civilLine(1)
      .split(',')
      .map((cell) => `"${cell}"`)
      .join(',');
    const text = lines(`${civilHeader},note`, `${quoted},"a ""note"", with a comma"`);
    expect(await read(text)).to.deep.equal([entry(2, 1)]);
  });

  it('is read from JSON Lines as from CSV', async () => {
    const { civilId, identity, cardNumber } = civilRecord(1);
    const object = { civilId, ...identity, cardNumber, note: { any: true } };
    const numbered = { ...object, civilId: Number(civilId), geId: 7, email: ' one@example.mn ' };
    expect(
      await read(lines(JSON.stringify(object), '', JSON.stringify(numbered)), 'jsonl'),
    ).to.deep.equal([
      entry(1, 1),
      {
        line: 3,
        entry: {
          ...civilRecord(1, { identity: { ...identity, geId: 7 } }),
          email: 'one@example.mn',
        },
      },
    ]);
  });

  it('refuses lines one by one, by number and reason, and says nothing of what stood there', async () => {
    const text = lines(
      `${civilHeader},email`,
      `${civilLine(1)},one@example.mn`,
      `${civilLine(2).replace('ҮЁ00000002', 'UE00000002')},`,
      `${civilLine(3).replace('1990-01-31', '1990-02-31')},`,
      `${civilLine(4).replace(',F,', ',W,')},`,
      `${civilLine(5)},nobody`,
      `${civilLine(6)},,more`,
      `"${civilLine(7)},`,
      'x'.repeat(30_000),
      `${civilLine(8)},`,
    );
    for (const bytes of [1000, 65_536]) {
      const [first, ...others] = await read(text, 'csv', bytes);
      expect(first).to.deep.equal({
        line: 2,
        entry: { ...civilRecord(1), email: 'one@example.mn' },
      });
      expect(others).to.deep.equal([
        { line: 3, reason: 'registrationNumber must be two Cyrillic letters and 8 digits.' },
        { line: 4, reason: 'birthDate must be a date YYYY-MM-DD.' },
        { line: 5, reason: 'gender must be M, F or X.' },
        { line: 6, reason: 'email must be an e-mail address, or nothing.' },
        { line: 7, reason: 'The line has 13 fields, but the header has 12.' },
        {
          line: 8,
          reason:
            'Malformed CSV: CSV_QUOTE_NOT_CLOSED. Enclose fields that contain commas or quotation marks in quotation marks.',
        },
        {
          line: 9,
          reason: 'The line is longer than 20000 characters: is the end of a line missing?',
        },
        entry(10, 8),
      ]);
    }
  });

  it('refuses what is no JSON object, and values that no cell can hold', async () => {
    const { civilId, identity } = civilRecord(1);
    const wrong = { civilId, ...identity, email: { address: 'one@example.mn' } };
    expect(
      await read(lines('[1]', '{"civilId":', 'null', JSON.stringify(wrong)), 'jsonl'),
    ).to.deep.equal([
      { line: 1, reason: 'The line is not a single JSON object.' },
      { line: 2, reason: 'The line is not a single JSON object.' },
      { line: 3, reason: 'The line is not a single JSON object.' },
      { line: 4, reason: 'email must be an e-mail address, or nothing.' },
    ]);
  });

  it('refuses a line in another encoding', async () => {
    const windows1251 = Buffer.concat([
      Buffer.from(`${civilHeader}\n${civilLine(1)}\n130000000002,`),
      Buffer.from([0xc4, 0xee, 0xf0, 0xe6, 0x0a]),
    ]);
    expect(await read(windows1251)).to.deep.equal([
      entry(2, 1),
      { line: 3, reason: 'The line is not UTF-8. Save the file in that encoding.' },
    ]);
  });

  it('refuses lines that a carriage return ends or divides, and loses none', async () => {
    const old = [civilHeader, civilLine(1), civilLine(2)].join('\r');
    expect(await read(old)).to.have.length(1);
    expect((await read(old))[0])
      .to.have.property('reason')
      .that.matches(/carriage return/);
    const divided = lines(civilHeader, `"x",\r"${civilLine(1)}"`, civilLine(2));
    const [refused, taken] = await read(divided);
    expect(refused)
      .to.have.property('reason')
      .that.matches(/carriage return/);
    expect(taken).to.deep.equal(entry(3, 2));
  });

  it('is refused without any record, and with a column named twice', async () => {
    for (const [text, format] of [
      ['', 'jsonl'],
      ['\n\n', 'jsonl'],
      [civilHeader, 'csv'],
    ] as const) {
      expect(await read(text, format)).to.deep.equal([
        { line: 1, reason: 'The file contains no records.' },
      ]);
    }
    const [column = ''] = civilHeader.split(',');
    expect(await read(lines(`${civilHeader},${column}`, `${civilLine(1)},x`))).to.deep.equal([
      { line: 1, reason: `Columns named twice: ${column}.` },
    ]);
  });

  it('has no lines without its columns', async () => {
    expect(await read(lines(civilHeader.replace(',gender', ''), civilLine(1)))).to.deep.equal([
      { line: 1, reason: 'Missing columns: gender. The first line must name the columns.' },
    ]);
    expect(await read('')).to.deep.equal([
      { line: 1, reason: 'The file is empty. Its first line must name the columns.' },
    ]);
  });

  it('is that of the demo, thirteen citizens whose registration numbers agree with their birth dates', async () => {
    const path = 'infrastructure/registry/demo/civil-registry.csv';
    const all = await collected(readCivilRecords(createReadStream(path), 'csv'));
    const records = all.map((one) => {
      if ('reason' in one) throw new Error(one.reason);
      return one.entry;
    });
    expect(records).to.have.length(13);
    for (const { identity } of records) {
      const [year = 0, month = 0, day = 0] = identity.birthDate.split('-').map(Number);
      const coded = [year % 100, year < 2000 ? month : month + 20, day];
      expect(identity.registrationNumber.slice(2, 8)).to.equal(
        coded.map((part) => String(part).padStart(2, '0')).join(''),
      );
    }
    expect(records.filter(({ identity }) => identity.geId === null)).to.have.length(1);
  });
});

describe('A file of the register of organizations', () => {
  const header = 'register,coreId,name,legalName,email,phone,address';
  const readAll = (text: string, format: FileFormat = 'csv') =>
    collected(readOrganizations(inPieces(text, 65_536), format));

  it('F4: has no names that are not seen or read otherwise than they are stored', async () => {
    const text = lines(
      header,
      '551,x,А,А,,,',
      '5512350,,Хaан,Хаан ХХК,,,',
      '5512351,,Хаан,Хаан\u200b ХХК,,,',
      '5512352,,\u3164,А,,,',
    );
    const reasons = (await readAll(text)).map((one) => ('reason' in one ? one.reason : ''));
    expect(reasons[0]).to.equal('coreId must be up to 15 digits, or nothing.');
    expect(reasons[1]).to.match(/^name: Must not mix Latin/u);
    expect(reasons[2]).to.match(/^legalName: Must have no control/u);
    expect(reasons[3]).to.match(/^name: Must have no control/u);
  });

  it('lists affiliates, or does not know them', async () => {
    const object = { register: 'уб7654321', name: 'Б', legalName: 'Б', coreId: 7 };
    const known = { ...object, affiliates: ['ҮЁ00000001', 'ҮЁ00000002'] };
    const entries = await readAll(lines(JSON.stringify(object), JSON.stringify(known)), 'jsonl');
    const common = { register: 'УБ7654321', name: 'Б', legalName: 'Б', coreId: 7 };
    const unknown = { email: null, phone: null, address: null, affiliates: null };
    expect(entries).to.deep.equal([
      { line: 1, entry: { ...common, ...unknown } },
      { line: 2, entry: { ...common, ...unknown, affiliates: ['үё00000001', 'үё00000002'] } },
    ]);
  });
});
