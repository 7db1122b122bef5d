import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { openPdf } from '../../infrastructure/pdf/document.ts';
import { inspectSignatures } from '../../infrastructure/pdf/earlierSignatures.ts';
import { attachToCatalog } from '../../infrastructure/pdf/embeddedFiles.ts';
import { PdfFault } from '../../infrastructure/pdf/faults.ts';
import { createDecoder } from '../../infrastructure/pdf/filters.ts';
import { type PdfLimitName, pdfLimits } from '../../infrastructure/pdf/limits.ts';
import { pdfReference, pdfStream } from '../../infrastructure/pdf/objects.ts';
import { createParser } from '../../infrastructure/pdf/parser.ts';
import { lastPage } from '../../infrastructure/pdf/validationPages.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { onePage, withSections, writePdf } from '../support/pdf/samplePdf.ts';
import { startPdfWorld } from '../support/worlds/pdfWorld.ts';

/** Reads a file with exactly this many of what a limit counts. */
const readers: Readonly<Record<PdfLimitName, (count: number) => unknown>> = {
  sections: (count) => openPdf(withSections(count)),
  entries(count): void {
    // Of one entry a byte, in a stream of cross-references; the others are in the table before it.
    const rows = deflateSync(Buffer.alloc(count));
    const dictionary = `/Type/XRef/Root 1 0 R/Size 4/W[1 0 0]/Index[0 ${count}]`;
    readOrDamaged(
      Buffer.concat([
        Buffer.from(
          `%PDF-1.5\n9 0 obj\n<<${dictionary}/Filter/FlateDecode/Length ${rows.length}>>\nstream\n`,
        ),
        rows,
        Buffer.from('\nendstream\nendobj\nstartxref\n9\n%%EOF\n'),
      ]),
    );
  },
  objects: (highest) =>
    readOrDamaged(
      Buffer.from(
        `%PDF-1.4\nxref\n${highest} 1\n0000000000 00000 f\r\ntrailer\n<</Size 2/Root 1 0 R>>\nstartxref\n9\n%%EOF\n`,
      ),
    ),
  trailingBytes: (count) =>
    // The line end behind the marker is one of them.
    openPdf(Buffer.concat([onePage(), Buffer.alloc(count - 1, ' ')])),
  nesting: (levels) =>
    createParser(Buffer.from(`${'['.repeat(levels)}0${']'.repeat(levels)}`), 0).object(),
  references(count) {
    const more = Object.fromEntries(
      Array.from({ length: count - 1 }, (_, index) => [index + 10, `${index + 11} 0 R`]),
    );
    const objects = { ...more, [count + 9]: '(end)' };
    return openPdf(onePage({ more: objects })).value(pdfReference(10));
  },
  decodedBytes: (bytes) =>
    createDecoder()(
      pdfStream(
        { Filter: { kind: 'name', name: 'FlateDecode' } },
        deflateSync(Buffer.alloc(bytes)),
      ),
      (object) => object ?? null,
    ),
  decodedBytesTogether(bytes) {
    const decode = createDecoder();
    const quarter = Buffer.alloc(Math.ceil(bytes / 4));
    for (let left = bytes; left > 0; left -= quarter.length) {
      decode(pdfStream({}, quarter.subarray(0, left)), (object) => object ?? null);
    }
  },
  fields(count) {
    const kids = Array.from({ length: count }, (_, index) => `${index + 10} 0 R`).join(' ');
    return inspectSignatures(openPdf(onePage({ catalog: `/AcroForm<</Fields[${kids}]>>` })));
  },
  nameTreeNodes(count) {
    const kids = Array.from({ length: count }, (_, index) => `${index + 10} 0 R`).join(' ');
    const pdf = openPdf(onePage({ catalog: `/Names<</EmbeddedFiles<</Kids[${kids}]>>>>` }));
    return attachToCatalog(pdf, 'evidence', pdfReference(9));
  },
  pageTreeLevels(levels) {
    const nodes = Object.fromEntries(
      Array.from({ length: levels - 1 }, (_, index) => [
        index + 10,
        `<</Type/Pages/Kids[${index === levels - 2 ? 3 : index + 11} 0 R]/Count 1>>`,
      ]),
    );
    const objects = {
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[10 0 R]/Count 1>>',
      3: '<</Type/Page>>',
      ...nodes,
    };
    return lastPage(openPdf(writePdf({ objects })));
  },
};

/** Reads cross-references that lead to no catalog. */
function readOrDamaged(bytes: Buffer): void {
  try {
    openPdf(bytes);
  } catch (error) {
    if (!(error instanceof PdfFault) || error.message !== 'The PDF has no pages.') throw error;
  }
}

function messageOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof PdfFault)) throw error;
    expect(error.code).to.equal('PDF_NOT_SUPPORTED');
    return error.message;
  } finally {
    // Each of these reads leaves up to half a gigabyte behind.
    global.gc?.();
  }
}

describe('F3: limits of PDFs', function () {
  this.timeout(120_000);

  for (const name of Object.keys(pdfLimits) as PdfLimitName[]) {
    const { most, counted, advice } = pdfLimits[name];
    it(`say themselves beyond ${most} ${counted}`, () => {
      const read = readers[name];
      expect(messageOf(() => read(most - 1))).to.equal(null);
      expect(messageOf(() => read(most))).to.equal(null);
      const [bound, value] = [most, most + 1].map((count) => count.toLocaleString('en-US'));
      expect(messageOf(() => read(most + 1))).to.equal(
        `The PDF has ${String(value)} ${counted} or more, but at most ${String(bound)} are read. ${advice}`,
      );
    });
  }

  it('count our own revision in before anybody signs: what is prepared can be completed', async () => {
    const world = await startPdfWorld();
    try {
      const { signer } = await world.newSigner('P-256');
      const outcomes: string[] = [];
      for (const sections of [998, 999, 1000, 1001]) {
        const prepared = await world.stamping.prepare({
          document: withSections(sections),
          fileName: null,
          signer,
          preparedId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
          relyingPartyName: 'Bank',
          hash: 'SHA256',
          now: new Date(),
        });
        if ('refused' in prepared) {
          outcomes.push(`${prepared.refused}: ${String(prepared.detail).split(', but')[0] ?? ''}`);
          continue;
        }
        const key = await world.newSigner('P-256');
        const session = await world.signed(key, sha256(prepared.prepared.attributes));
        const { length } = await world.stamping.complete(prepared.prepared, session);
        outcomes.push(length > 0 ? 'completed' : 'empty');
      }
      expect(outcomes).to.deep.equal([
        'completed',
        'completed',
        'PDF_NOT_SUPPORTED: With the signature added to it: The PDF has 1,001 cross-reference sections or more',
        'PDF_NOT_SUPPORTED: The PDF has 1,001 cross-reference sections or more',
      ]);
    } finally {
      await world.stop();
    }
  });

  it('are told from circles, which are damage', () => {
    const objects = { 1: '<</Type/Catalog/Pages 2 0 R>>', 2: '3 0 R', 3: '2 0 R' };
    expect(() => openPdf(writePdf({ objects }))).to.throw(PdfFault, 'References form a circle.');
    const round = { ...objects, 2: '<</Type/Pages/Kids[2 0 R]/Count 1>>' };
    const pages = openPdf(writePdf({ objects: round }));
    expect(() => lastPage(pages)).to.throw(PdfFault, 'The page tree forms a circle.');
    expect(() => openPdf(onePage({ trailer: '/Prev 1' }))).to.throw(PdfFault, 'missing');
  });
});
