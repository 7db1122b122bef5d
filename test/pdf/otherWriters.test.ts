import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { openPdf } from '../../infrastructure/pdf/document.ts';
import { decodeStream } from '../../infrastructure/pdf/filters.ts';
import { isStream, type PdfObject, serialize } from '../../infrastructure/pdf/objects.ts';
import { onePage, type PageOptions } from '../support/pdf/samplePdf.ts';
import { expectSound } from '../support/pdf/pdfChecks.ts';
import { run } from '../support/programs/tools.ts';
import { type PdfWorld, startPdfWorld, type TestSigner } from '../support/worlds/pdfWorld.ts';

/** A clause of ISO 32000-2 with a file that uses it. */
interface Clause {
  readonly clause: string;
  readonly file: PageOptions;
  /** Paths of entries from the trailer, and their serialized value after sealing; null: taken out. */
  readonly after?: Readonly<Record<string, string | null>>;
  /** Sentence of the refusal. */
  readonly refused?: string;
}

const xmp = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:a="http://www.aiim.org/pdfa/ns/id/" a:part='2' a:conformance="B"/>
<rdf:Description rdf:about="" xmlns:ua="http://www.aiim.org/pdfua/ns/id/"><ua:part>1</ua:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:x4="http://www.npes.org/pdfx/ns/id/"><x4:GTS_PDFXVersion>PDF/X-4</x4:GTS_PDFXVersion></rdf:Description>
<rdf:Description rdf:about="" xmlns:d="http://pdfa.org/declarations/"><d:declarations><rdf:Bag><rdf:li><d:conformsTo>x</d:conformsTo></rdf:li></rdf:Bag></d:declarations></rdf:Description>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:MetadataDate="2020-01-01T00:00:00Z">
<xmp:ModifyDate>2020-01-01T00:00:00Z</xmp:ModifyDate><xmp:CreateDate>2020-01-01T00:00:00Z</xmp:CreateDate></rdf:Description>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Lease</dc:title></rdf:Description>
</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const time = new Date('2026-03-04T05:06:07.800Z');

/** Objects 7 and 8: a field of the value 1000 with this appearance. */
const textField = (appearance: string, entries = '') => ({
  7: `<</Type/Annot/Subtype/Widget/FT/Tx/T(amount)/V(1000)/Rect[72 600 172 620]/F 4/AP<</N 8 0 R>>/P 3 0 R${entries}>>`,
  8: `<</Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 5 0 R>>>>/Length ${appearance.length}>>\nstream\n${appearance}\nendstream`,
});

const clauses: readonly Clause[] = [
  {
    clause: '§7.7.2 NeedsRendering: pages drawn by a form program',
    file: { catalog: '/NeedsRendering true' },
    refused: 'The pages of the PDF are drawn by its form (NeedsRendering)',
  },
  {
    clause: '§7.12 Extensions: a level above ours',
    file: { catalog: '/Extensions<</ESIC<</BaseVersion/1.7/ExtensionLevel 9>>>>' },
    after: { 'Root.Extensions.ESIC.ExtensionLevel': '9' },
  },
  {
    clause: '§12.3.5 Collection: attachments shown in the place of pages',
    file: { catalog: '/Collection<</Type/Collection/View/D>>' },
    after: { 'Root.Collection': null },
  },
  {
    clause: '§12.4.2 PageLabels: a range that would count our page on',
    file: { catalog: '/PageLabels<</Nums[0<</S/D/P(Annex )>>]>>' },
    after: { 'Root.PageLabels.Nums': '[0 <</S /D /P <416e6e657820>>> 1 <</P <54616d6761>>>]' },
  },
  {
    clause: '§12.4.2 PageLabels: in several nodes',
    file: {
      catalog: '/PageLabels<</Kids[7 0 R]>>',
      more: { 7: '<</Limits[0 0]/Nums[0<</S/D>>]>>' },
    },
    after: { 'Root.PageLabels.Kids': '[7 0 R <</Limits [1 1] /Nums [1 <</P <54616d6761>>>]>>]' },
  },
  {
    clause: '§12.7.3 NeedAppearances: a field drawn as its value',
    file: {
      catalog:
        '/AcroForm<</Fields[7 0 R]/DA(/F1 12 Tf)/DR<</Font<</F1 5 0 R>>>>/NeedAppearances true>>',
      page: '/Annots[7 0 R]',
      more: textField('/Tx BMC q BT /F1 12 Tf 2 5.5 Td (1000) Tj ET Q EMC', '/DA(/F1 12 Tf)'),
    },
    after: { 'Root.AcroForm.NeedAppearances': null, 'Root.AcroForm.SigFlags': '3' },
  },
  {
    clause: '§12.7.3 NeedAppearances: a field drawn otherwise than its value',
    file: {
      catalog: '/AcroForm<</Fields[7 0 R]/NeedAppearances true>>',
      page: '/Annots[7 0 R]',
      more: textField('q 0 0 1 rg 0 0 100 20 re f Q'),
    },
    refused: 'The form asks for its fields to be redrawn (NeedAppearances)',
  },
  {
    clause: '§12.7.3 NeedAppearances: in a form of its own object',
    file: {
      catalog: '/AcroForm 9 0 R',
      more: { 9: '<</Fields[]/NeedAppearances true/DA(/F1 0 Tf)>>' },
    },
    after: {
      'Root.AcroForm.NeedAppearances': null,
      'Root.AcroForm.DA': '<2f463120302054 66>'.replace(' ', ''),
    },
  },
  {
    clause: '§12.7.8 XFA: a form that hides the pages',
    file: { catalog: '/AcroForm<</Fields[]/XFA(x)>>' },
    refused: 'The PDF contains an XFA form.',
  },
  {
    clause: '§12.8.6 Perms: usage rights that any addition breaks',
    file: { catalog: '/Perms<</UR3 7 0 R/UR 7 0 R>>', more: { 7: '<</Type/Sig>>' } },
    after: { 'Root.Perms.UR3': null, 'Root.Perms.UR': null },
  },
  {
    clause: '§12.8.7 Legal: an attestation of the content',
    file: { catalog: '/Legal<</OptionalContent false/Attestation(x)>>' },
    after: { 'Root.Legal': null },
  },
  {
    clause: '§14.3.2 Metadata: claims of conformance, and dates',
    file: {
      catalog: '/Metadata 7 0 R',
      more: {
        7: `<</Type/Metadata/Subtype/XML/Length ${Buffer.byteLength(xmp)}>>\nstream\n${xmp}\nendstream`,
      },
    },
  },
  {
    clause: '§14.3.2 Metadata: under a filter that is not read',
    file: {
      catalog: '/Metadata 7 0 R',
      more: { 7: '<</Type/Metadata/Filter/LZWDecode/Length 2>>\nstream\nxx\nendstream' },
    },
    after: { 'Root.Metadata': null },
  },
  {
    clause: '§14.3.3 Info: date of the last change, trapping, PDF/X',
    file: {
      trailer: '/Info 7 0 R',
      more: { 7: '<</Title(Lease)/ModDate(D:2020)/Trapped/True/GTS_PDFXVersion(PDF/X-3)>>' },
    },
    after: {
      'Info.ModDate': `<${Buffer.from('D:20260304050607Z').toString('hex')}>`,
      'Info.Trapped': '/Unknown',
      'Info.GTS_PDFXVersion': null,
      'Info.Title': '<4c65617365>',
    },
  },
  {
    clause: '§14.8 MarkInfo: a tagged document',
    file: { catalog: '/MarkInfo<</Marked true>>/StructTreeRoot<</Type/StructTreeRoot>>' },
    after: { 'Root.MarkInfo.Marked': 'true' },
  },
  {
    clause: '§14.12 DPartRoot: parts that cover every page',
    file: { catalog: '/DPartRoot 7 0 R', more: { 7: '<</Type/DPartRoot>>' } },
    after: { 'Root.DPartRoot': null },
  },
];

describe('F11: entries of other writers, after a seal', function () {
  this.timeout(120_000);
  let world: PdfWorld;
  let signer: TestSigner;
  let directory: string;

  before(async () => {
    world = await startPdfWorld();
    signer = await world.newSigner('P-256');
    directory = await mkdtemp(join(tmpdir(), 'tamga-writers-'));
  });

  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true });
  });

  async function signed(document: Buffer): Promise<Buffer | string> {
    const result = await world.stamping.prepare({
      document: Buffer.from(document),
      fileName: null,
      signer: signer.signer,
      preparedId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      relyingPartyName: 'Bank',
      hash: 'SHA256',
      now: time,
    });
    if ('refused' in result) return String(result.detail);
    const session = await world.signed(signer, sha256(result.prepared.attributes));
    return world.stamping.complete(result.prepared, session);
  }

  async function pictureOf(pdf: Buffer): Promise<Buffer> {
    const path = join(directory, 'page');
    await writeFile(`${path}.pdf`, pdf);
    const { code, output } = await run(
      'pdftoppm',
      '-singlefile',
      '-r',
      '40',
      '-f',
      '1',
      '-l',
      '1',
      `${path}.pdf`,
      path,
    );
    expect(code, output).to.equal(0);
    return readFile(`${path}.ppm`);
  }

  for (const { clause, file, after = {}, refused } of clauses) {
    it(`${clause} is ${refused === undefined ? 'true of the file' : 'refused'}`, async () => {
      const original = onePage(file);
      const pdf = await signed(original);
      if (typeof pdf === 'string') {
        expect(pdf).to.contain(refused ?? 'no refusal');
        return;
      }
      expect(refused).to.equal(undefined);
      for (const [path, expected] of Object.entries(after)) {
        expect(entryAt(pdf, path), path).to.equal(expected);
      }
      if (isInstalled('pdftoppm')) {
        expect((await pictureOf(pdf)).equals(await pictureOf(original)), 'page 1').to.equal(true);
      }
      await expectSound(directory, pdf, { original, signatures: 1, newPages: 1 });
      // A file that is signed keeps what it says: its first signature covers it.
      const again = await signed(pdf);
      expect(typeof again).not.to.equal('string');
    });
  }

  it('F11: metadata keep what is true, and lose what another page makes untrue', async () => {
    const claimed = clauses.find(({ clause }) => clause.includes('claims of conformance'));
    const pdf = await signed(onePage(claimed?.file));
    if (typeof pdf === 'string') throw new Error(pdf);
    const document = openPdf(pdf);
    const metadata = document.value(document.catalog.entries.get('Metadata'));
    if (!isStream(metadata)) throw new Error('No metadata.');
    const text = Buffer.from(decodeStream(metadata, document.value)).toString('utf8');
    for (const claim of ['a:part', 'a:conformance', 'ua:part', 'x4:GTS', 'd:declarations']) {
      expect(text).not.to.contain(`${claim}=`).and.not.to.contain(`<${claim}`);
    }
    expect(text).to.contain('<dc:title>Lease</dc:title>');
    expect(text).to.contain('<xmp:CreateDate>2020-01-01T00:00:00Z</xmp:CreateDate>');
    expect(text).to.contain('<xmp:ModifyDate>2026-03-04T05:06:07Z</xmp:ModifyDate>');
    expect(text).to.contain('xmp:MetadataDate="2026-03-04T05:06:07Z"');
  });
});

/** Serialized value at `Root.AcroForm.Fields`; null: no such entry. */
function entryAt(pdf: Buffer, path: string): string | null {
  const document = openPdf(pdf);
  let object: PdfObject | undefined = { kind: 'dictionary', entries: document.trailer.entries };
  for (const key of path.split('.')) object = document.dictionary(object)?.entries.get(key);
  return object === undefined ? null : serialize(object).toString('latin1');
}
