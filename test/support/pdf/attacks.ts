import { openPdf } from '../../../infrastructure/pdf/document.ts';
import {
  isArray,
  isReference,
  type PdfObject,
  serialize,
} from '../../../infrastructure/pdf/objects.ts';
import { baseOf, createUpdate } from '../../../infrastructure/pdf/update.ts';
import { onePage } from './samplePdf.ts';

/**
 * Published attacks on signed PDFs: incremental saving and signature wrapping (Mladenov et al., CCS 2019), shadow
 * attacks (Mainka et al., NDSS 2021), attacks on certified documents (Rohlmann et al., IEEE S&P 2021).
 */
export interface Attack {
  readonly name: string;
  /** The signature itself is tampered with: the file does not begin with the signed one. */
  readonly isWrapping?: boolean;
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

function replacing(signed: Buffer, from: RegExp, to: string | ((found: string) => string)): Buffer {
  const text = signed.toString('latin1');
  if (!from.test(text)) throw new Error(`The signed file has no ${String(from)}.`);
  const replaced = typeof to === 'string' ? text.replace(from, to) : text.replace(from, to);
  return Buffer.from(replaced, 'latin1');
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
  const wrapped = (name: string, forged: Buffer): Attack => ({ name, forged, isWrapping: true });
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
      'incremental saving with a trailer of its own alone',
      `\n${lure}xref\n0 0\ntrailer\n<</Root 1 0 R/Size 950>>\nstartxref\n${signed.length}\n%%EOF\n`,
    ),
    added(
      'incremental saving whose table forgets what was before',
      `\n${lure}xref\n${contents} 1\n${String(signed.length + 1).padStart(10, '0')} 00000 n\r\ntrailer\n<</Root 1 0 R/Size 950>>\nstartxref\n${signed.length + 1 + lure.length}\n%%EOF\n`,
    ),
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
    wrapped(
      'universal forgery: contents of another name',
      replacing(signed, /\/Contents<30/, '/ContentX<30'),
    ),
    wrapped(
      'universal forgery: contents that are null',
      replacing(signed, /\/Contents<[^>]*>/, nulled),
    ),
    wrapped(
      'universal forgery: contents that are empty',
      replacing(signed, /\/Contents<[^>]*>/, emptied),
    ),
    wrapped(
      'universal forgery: contents that are all zero',
      replacing(signed, /\/Contents<[^>]*>/, zeroed),
    ),
    ...ranges(signed).map(([name, range]) =>
      wrapped(`byte range: ${name}`, replacing(signed, /\/ByteRange\[[^\]]*\]/, inPlace(range))),
    ),
    wrapped('signature wrapping: the second part moved away, a lure before it', moved(signed)),
    wrapped(
      'signature wrapping: a second byte range in the dictionary',
      replacing(signed, /\/Reason\s*<[0-9a-f]*>/, inPlace('/ByteRange[0 1 2 1]')),
    ),
    saved('signature wrapping: the signature copied into another field', {
      910: `<</FT/Sig/T(Copy)/V 911 0 R>>`,
      911: `<<${signature ?? ''}/Contents<3000>>>`,
    }),
  ];
}

const nulled = inPlace('/Contents null');
const emptied = inPlace('/Contents<>');
const zeroed = (found: string) => `/Contents<${'0'.repeat(found.length - 11)}>`;

/** Replaces text by a shorter one and spaces, so that nothing moves. */
function inPlace(text: string): (found: string) => string {
  return (found) => {
    if (text.length > found.length) throw new Error(`No room for ${text}.`);
    return text.padEnd(found.length);
  };
}

/** Byte ranges that leave out, count twice or reach beyond what they should cover. */
function ranges(signed: Buffer): readonly (readonly [name: string, entry: string])[] {
  const [, a = 0, b = 0, c = 0] = byteRangeOf(signed);
  const written: Readonly<Record<string, readonly (number | string)[]>> = {
    'negative numbers': [0, -a, b, c],
    'a negative length at the end': [0, a, b, -1],
    'overlapping parts': [0, b + 1, a, c],
    'parts that meet: nothing is left out': [0, b, b, c],
    'more left out than the value': [0, a - 20, b, c],
    'a beginning left out': [9, a - 9, b, c],
    'an end left out': [0, a, b, 0],
    'an end beyond the file': [0, a, b, c + 1_000_000],
    'nothing at all': [0, 0, 0, 0],
    'two numbers': [0, a],
    'six numbers': [0, a, b, 1, b + 1, c - 1],
    fractions: [0, `${a}.5`, b, c],
    'no numbers': ['null', 'null', 'null', 'null'],
  };
  return Object.entries(written).map(([name, numbers]) => {
    return [name, `/ByteRange[${numbers.join(' ')}]`] as const;
  });
}

/** Numbers of the first byte range. */
export function byteRangeOf(signed: Buffer): readonly number[] {
  const [, written = ''] = /\/ByteRange\s*\[([^\]]*)\]/.exec(signed.toString('latin1')) ?? [];
  return written.trim().split(/\s+/).map(Number);
}

/** The second signed part at the end, where its byte range says it is; what readers use comes before. */
function moved(signed: Buffer): Buffer {
  const [, a = 0, b = 0, c = 0] = byteRangeOf(signed);
  const between = `/Pad(\n900 0 obj\n${lureStream.toString()}\nendobj\n)`;
  const lured = Buffer.concat([
    signed.subarray(a, b),
    Buffer.from(between),
    signed.subarray(b),
    Buffer.from('\n'),
  ]);
  const range = inPlace(`/ByteRange[0 ${a} ${a + lured.length} ${c}]`);
  const head = replacing(signed.subarray(0, a), /\/ByteRange\[[^\]]*\]/, range);
  return Buffer.concat([head, lured, signed.subarray(b, b + c)]);
}

/** A document whose author laid out a second one in it, for the shadow attacks. */
export function shadowedDocument(): Buffer {
  const amount = 'BT /F1 24 Tf 72 600 Td (PAY 1 000 MNT) Tj ET';
  const cover = 'BT /F1 24 Tf 72 600 Td (a receipt) Tj ET';
  const stream = (text: string) => `<</Length ${text.length}>>\nstream\n${text}\nendstream`;
  return onePage({
    catalog: '/AcroForm<</Fields[12 0 R]>>',
    page: '/Annots[10 0 R 12 0 R]',
    more: {
      10: '<</Type/Annot/Subtype/Square/Rect[50 550 500 700]/AP<</N 11 0 R>>>>',
      11: `<</Type/XObject/Subtype/Form/BBox[0 0 450 150]${stream(cover).slice(2)}`,
      12: '<</Type/Annot/Subtype/Widget/FT/Tx/T(amount)/V(1 000)/Rect[50 400 200 420]/P 3 0 R>>',
      20: '<</Type/Pages/Kids[21 0 R]/Count 1/MediaBox[0 0 595 842]>>',
      21: '<</Type/Page/Parent 20 0 R/Contents 22 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
      22: stream(amount.replace('1 000', '9 000 000')),
    },
  });
}

/** Shadow attacks on the signed {@link shadowedDocument}: what was hidden in it is uncovered after the signature. */
export function shadowAttacksOn(signed: Buffer): readonly Attack[] {
  const { catalog } = openPdf(signed);
  const pages = new Map(catalog.entries).set('Pages', {
    kind: 'reference',
    number: 20,
    generation: 0,
  });
  const attack = (name: string, objects: Readonly<Record<number, string>>): Attack => ({
    name: `shadow, ${name}`,
    forged: updated(signed, objects),
  });
  return [
    attack('hide: the cover taken away', { 10: 'null' }),
    attack('hide: the cover made transparent', { 11: lureStream.toString() }),
    attack('replace: the value of a field that was there', {
      12: '<</Type/Annot/Subtype/Widget/FT/Tx/T(amount)/V(9 000 000)/Rect[50 400 200 420]/P 3 0 R>>',
    }),
    attack('hide and replace: the catalog leads to the other pages', {
      1: serialize({ kind: 'dictionary', entries: pages }).toString('latin1'),
    }),
    attack('hide and replace: the page is another object', {
      3: '<</Type/Page/Parent 2 0 R/Contents 22 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    }),
    attack('layers: a group that hides the contents', {
      1: serialize({
        kind: 'dictionary',
        entries: new Map(catalog.entries).set('OCProperties', {
          kind: 'reference',
          number: 930,
          generation: 0,
        }),
      }).toString('latin1'),
      930: '<</OCGs[931 0 R]/D<</OFF[931 0 R]>>>>',
      931: '<</Type/OCG/Name(Contract)>>',
    }),
  ];
}
