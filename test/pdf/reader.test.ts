import { expect } from 'chai';
import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { openPdf } from '../../infrastructure/pdf/document.ts';
import { inspectSignatures } from '../../infrastructure/pdf/earlierSignatures.ts';
import { attachToCatalog } from '../../infrastructure/pdf/embeddedFiles.ts';
import { PdfFault } from '../../infrastructure/pdf/faults.ts';
import { createDecoder } from '../../infrastructure/pdf/filters.ts';
import {
  isDictionary,
  pdfReference,
  pdfStream,
  pdfText,
  serialize,
} from '../../infrastructure/pdf/objects.ts';
import { createParser } from '../../infrastructure/pdf/parser.ts';
import { onePage, writePdf } from '../support/pdf/samplePdf.ts';

function parse(text: string) {
  return createParser(Buffer.from(text, 'latin1'), 0).object();
}

function faultOf(bytes: Buffer): string {
  try {
    inspectSignatures(openPdf(bytes));
    return 'none';
  } catch (error) {
    if (error instanceof PdfFault) return error.code;
    throw error;
  }
}

const head = '%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n';
/** Type, offset and generation of objects 0 to 2, a byte each. */
const rows = Buffer.from([0, 0, 0, 1, 9, 0, 1, head.length, 0]);

/** A file whose only cross-reference section is a stream. */
function withXrefStream(
  dictionary: string,
  rows: Buffer,
  {
    encoded = deflateSync(rows),
    objects = `${head}2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n`,
  }: { readonly encoded?: Buffer; readonly objects?: string } = {},
): Buffer {
  return Buffer.concat([
    Buffer.from(objects),
    Buffer.from(
      `3 0 obj\n<</Type/XRef/Root 1 0 R/Size 4/Filter/FlateDecode/Length ${encoded.length}${dictionary}>>\nstream\n`,
    ),
    encoded,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${objects.length}\n%%EOF\n`),
  ]);
}

describe('The PDF reader', () => {
  it('reads every kind of object, and what it writes it reads the same', () => {
    for (const [text, written] of Object.entries({
      'true ': 'true',
      '-.5 ': '-0.5',
      '+17 ': '17',
      '12 0 R': '12 0 R',
      '[1 2 0 R(a\\)\\101(b))/A#20B<4>]': '[1 2 0 R <612941286229> /A#20B <40>]',
      '<</A null/B<</C true>>%comment\n/D[]>>': '<</A null /B <</C true>> /D []>>',
    })) {
      const object = parse(text);
      expect(serialize(object).toString('latin1')).to.equal(written);
      expect(parse(`${written} `)).to.deep.equal(object);
    }
    expect(serialize(pdfText('Өө')).toString()).to.equal('<feff04e804e9>');
  });

  it('refuses nesting without end, and objects without end', () => {
    expect(() => parse('['.repeat(10_000))).to.throw(PdfFault);
    for (const text of ['(abc', '<41', '<</A', '[1 2', '<</A 1', 'nonsense', '']) {
      expect(() => parse(text), text).to.throw(PdfFault);
    }
  });

  it('reads cross-reference streams, and refuses those that lie', () => {
    const good = withXrefStream('/W[1 1 1]', rows);
    expect(isDictionary(openPdf(good).catalog)).to.equal(true);
    expect(faultOf(withXrefStream('/W[1 1 1]/Index[0 99999999]', rows))).to.equal(
      'PDF_NOT_SUPPORTED',
    );
    expect(faultOf(withXrefStream('/W[0 0 0]', rows))).to.equal('PDF_DAMAGED');
    expect(faultOf(withXrefStream('/W[1 1 1]', rows, { encoded: Buffer.from('x') }))).to.equal(
      'PDF_DAMAGED',
    );
    const bomb = deflateSync(Buffer.alloc(80 * 1024 * 1024));
    expect(faultOf(withXrefStream('/W[1 1 1]', rows, { encoded: bomb }))).to.equal(
      'PDF_NOT_SUPPORTED',
    );
    expect(faultOf(withXrefStream('/W[1 1 1]/DecodeParms<</Predictor 2>>', rows))).to.equal(
      'PDF_NOT_SUPPORTED',
    );
  });

  it('refuses what would be read over and over: overlapping objects, sections without end', () => {
    const body = `[${'0 '.repeat(1000)}]`;
    const index = Array.from({ length: 50 }, (_, member) => `${member + 10} 0 `).join('');
    const members = Buffer.from(index + body);
    const stream = `<</Type/ObjStm/N 50/First ${index.length}/Length ${members.length}>>`;
    const catalog = head.replace('2 0 R', '9 0 R');
    const objects = `${catalog}2 0 obj\n${stream}\nstream\n${members.toString()}\nendstream\nendobj\n`;
    const inStream = Buffer.concat([rows, Buffer.from([2, 2, 0])]);
    const overlapping = withXrefStream('/W[1 1 1]/Index[0 3 9 1]', inStream, { objects });
    expect(() => openPdf(overlapping)).to.throw(PdfFault, 'overlap');

    const million = Buffer.alloc(2_000_001);
    expect(() => openPdf(withXrefStream('/W[1 0 0]/Index[0 2000001]', million))).to.throw(
      PdfFault,
      '2,000,001 cross-reference entries',
    );

    const decode = createDecoder();
    const large = pdfStream({}, Buffer.alloc(128 * 1024 * 1024));
    const value = () => null;
    expect([decode(large, value).length, decode(large, value).length]).not.to.include(0);
    expect(() => decode(large, value)).to.throw(PdfFault, 'parts together');
  });

  it('walks a list of any length', () => {
    const names = Array.from({ length: 200_000 }, (_, index) => `(${index}) null`).join(' ');
    const pdf = openPdf(onePage({ catalog: `/Names<</EmbeddedFiles<</Names[${names}]>>>>` }));
    const { Names } = attachToCatalog(pdf, 'evidence', pdfReference(9));
    expect(isDictionary(Names)).to.equal(true);
  });

  it('refuses references and sections in circles', () => {
    expect(faultOf(onePage({ trailer: '/Prev 1' }))).to.equal('PDF_DAMAGED');
    const objects = { 1: '<</Type/Catalog/Pages 2 0 R>>', 2: '3 0 R', 3: '2 0 R' };
    expect(faultOf(writePdf({ objects }))).to.equal('PDF_DAMAGED');
    const form = onePage({
      catalog: '/AcroForm<</Fields[7 0 R]>>',
      more: { 7: '<</FT/Tx/Kids[7 0 R]>>' },
    });
    expect(faultOf(form)).to.equal('none');
  });

  it('finds a fault in whatever it cannot read, and never fails otherwise', () => {
    const whole = onePage({ catalog: '/AcroForm<</Fields[7 0 R]>>', more: { 7: '<</FT/Sig>>' } });
    const places = fc.array(
      fc.tuple(
        fc.nat(whole.length - 1),
        fc.oneof(fc.nat(255), fc.constantFrom(...Array.from('0<>[]()/R '))),
      ),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(places, (changes) => {
        const changed = Buffer.from(whole);
        for (const [at, value] of changes) {
          changed[at] = typeof value === 'number' ? value : value.charCodeAt(0);
        }
        faultOf(changed);
      }),
      { numRuns: 3000 },
    );
  });
});
