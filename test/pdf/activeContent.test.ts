import { expect } from 'chai';
import { deflateSync } from 'node:zlib';
import { warningsOf } from '../../infrastructure/pdf/activeContent.ts';
import { openPdf } from '../../infrastructure/pdf/document.ts';
import { baseOf, createUpdate } from '../../infrastructure/pdf/update.ts';
import { onePage, type PageOptions } from '../support/pdf/samplePdf.ts';

const found = (bytes: Buffer) => warningsOf(openPdf(bytes));
const foundIn = (options: PageOptions) => found(onePage(options));

/** A page whose objects of these numbers are in an object stream, as PDF 1.5 has them. */
function inObjectStream(objects: Readonly<Record<number, string>>): Buffer {
  const entries = Object.entries(objects);
  let at = 0;
  const index = entries.map(([number, text]) => {
    const pair = `${number} ${at}`;
    at += text.length + 1;
    return pair;
  });
  const head = `${index.join(' ')} `;
  const stream = deflateSync(Buffer.from(head + entries.map(([, text]) => `${text} `).join('')));
  const plain = [
    '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n',
    '2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n',
    `3 0 obj\n<</Type/ObjStm/N ${entries.length}/First ${head.length}/Filter/FlateDecode/Length ${stream.length}>>\nstream\n`,
  ];
  const parts = [Buffer.from('%PDF-1.5\n')];
  const offsets = plain.map((text) => {
    const offset = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(Buffer.from(text));
    return offset;
  });
  parts.push(stream, Buffer.from('\nendstream\nendobj\n'));
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  const rows = [
    ...offsets.map((offset) => [1, offset >> 8, offset & 255, 0]),
    ...entries.map((_, position) => [2, 0, 3, position]),
  ];
  const table = Buffer.from(rows.flat());
  const numbers = entries.map(([number]) => `${number} 1`).join(' ');
  parts.push(
    Buffer.from(
      `90 0 obj\n<</Type/XRef/Root 1 0 R/Size 91/W[1 2 1]/Index[1 3 ${numbers}]/Length ${table.length}>>\nstream\n`,
    ),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

describe('F2: what a PDF can do besides showing its pages', () => {
  it('is nothing for an ordinary document, one that opens on a page, and one with visible layers', () => {
    expect(foundIn({})).to.deep.equal([]);
    expect(foundIn({ catalog: '/OpenAction[3 0 R/XYZ null null 0]' })).to.deep.equal([]);
    expect(foundIn({ catalog: '/OpenAction<</S/GoTo/D[3 0 R/Fit]>>' })).to.deep.equal([]);
    const visible = '/OCProperties<</OCGs[7 0 R]/D<</ON[7 0 R]/OFF[]/BaseState/ON>>>>';
    const group = '<</Type/OCG/Name(Draft)/Usage<</Print<</PrintState/ON>>>>>>';
    expect(foundIn({ catalog: visible, more: { 7: group } })).to.deep.equal([]);
    expect(foundIn({ more: { 7: '<</AP<</N<</Off null/OFF 8 0 R>>>>/XFA null>>' } })).to.deep.equal(
      [],
    );
  });

  for (const [warning, cases] of Object.entries({
    JAVASCRIPT: [
      '<</S/JavaScript/JS(app.alert\\(1\\))>>',
      '<</S/J#61vaScript/J#53 8 0 R>>',
      '<</S 9 0 R>>',
      '<</Names<</JavaScript 8 0 R>>>>',
      '[[<</A<</Next[<</S/JavaScript>>]>>>>]]',
    ],
    AUTOMATIC_ACTION: ['<</Type/Page/AA<</O<</S/GoTo>>>>>>'],
    LAUNCH_ACTION: ['<</S/Launch/F(cmd.exe)>>'],
    FORM_SUBMISSION: ['<</S/SubmitForm/F(https://mallory.test)>>', '<</S/ImportData>>'],
    RICH_MEDIA: [
      '<</Subtype/RichMedia>>',
      '<</Type/Annot/Subtype/Screen>>',
      '<</Subtype/3D>>',
      '<</S/Rendition>>',
    ],
    EMBEDDED_FILE: ['<</Type/Filespec/EF<</F 8 0 R>>>>', '<</Subtype/FileAttachment>>'],
    HIDDEN_LAYERS: [
      '<</OCGs[]/D<</OFF[8 0 R]>>>>',
      '<</BaseState/OFF>>',
      '<</Type/OCG/Usage<</Print<</PrintState/OFF>>>>>>',
      '<</Type/OCG/Usage<</View<</ViewState/OFF>>>>>>',
      '<</Type/OCMD/P/AllOff>>',
      '<</Type/OCMD/VE[/And 8 0 R[/Not 8 0 R]]>>',
      '<</S/SetOCGState/State[/OFF 8 0 R]>>',
    ],
    XFA_FORM: ['<</Fields[]/XFA 8 0 R>>'],
  })) {
    it(`is named: ${warning}, wherever its object is`, () => {
      for (const text of cases) {
        const more = { 7: text, 8: '(x)', 9: '/JavaScript' };
        expect(foundIn({ more }), text).to.deep.equal([warning]);
        expect(found(inObjectStream(more)), `compressed ${text}`).to.deep.equal([warning]);
        const update = createUpdate(baseOf(openPdf(onePage())));
        for (const [number, object] of Object.entries(more)) {
          const reference = { kind: 'reference', number: Number(number), generation: 0 } as const;
          update.put(reference, Buffer.from(object));
        }
        const revised = Buffer.concat([onePage(), update.finish().bytes]);
        expect(found(revised), `added ${text}`).to.deep.equal([warning]);
      }
    });
  }

  it('is named: OPEN_ACTION, unless it only opens a page', () => {
    const catalog = '/OpenAction 7 0 R';
    for (const action of ['<</S/URI/URI(https://mallory.test)>>', '<</S/Named/N/Print>>', '<<>>']) {
      expect(foundIn({ catalog, more: { 7: action } })).to.deep.equal(['OPEN_ACTION']);
    }
    expect(foundIn({ catalog, more: { 7: '<</S/JavaScript>>' } })).to.deep.equal([
      'JAVASCRIPT',
      'OPEN_ACTION',
    ]);
  });

  it('is unknown where objects cannot be read, which is said', () => {
    expect(foundIn({ more: { 7: '<</S' } })).to.deep.equal(['UNREADABLE_PARTS']);
    const document = inObjectStream({ 7: '<<>>' }).toString('latin1');
    const other = document.replace('/FlateDecode', '/LZW1Decode');
    expect(found(Buffer.from(other, 'latin1'))).to.deep.equal(['UNREADABLE_PARTS']);
  });

  it('is told in the order of the list', () => {
    expect(foundIn({ more: { 7: '<</S/Launch/JS()>>' } })).to.deep.equal([
      'JAVASCRIPT',
      'LAUNCH_ACTION',
    ]);
  });

  it('is looked for in time that grows with the file alone, whatever its objects overlap', () => {
    // Each of them is a string without an end, which all that follow are in.
    const endless: Record<number, string> = {};
    for (let number = 7; number < 60_000; number += 1) endless[number] = '(';
    expect(foundIn({ more: endless })).to.deep.equal(['UNREADABLE_PARTS']);
  });
});
