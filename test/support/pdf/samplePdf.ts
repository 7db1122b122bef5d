import { type PdfObject, serialize } from '../../../infrastructure/pdf/objects.ts';

export interface SamplePdf {
  /** Objects by number; 1 is the catalog, 2 the page tree. Text is written as it is. */
  readonly objects: Readonly<Record<number, PdfObject | string>>;
  readonly version?: string;
  /** Further entries of the trailer, as they are written. */
  readonly trailer?: string;
}

/** A PDF with a cross-reference table, written by hand. */
export function writePdf({ objects, version = '1.4', trailer = '' }: SamplePdf): Buffer {
  const parts = [Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, 'latin1')];
  const offsets = new Map<number, number>();
  let at = parts[0]?.length ?? 0;
  for (const [number, object] of Object.entries(objects)) {
    offsets.set(Number(number), at);
    const content = typeof object === 'string' ? Buffer.from(object) : serialize(object);
    const bytes = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      content,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(bytes);
    at += bytes.length;
  }
  const size = [...offsets.keys()].reduce((most, number) => Math.max(most, number), 0) + 1;
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined
      ? '0000000000 65535 f\r\n'
      : `${String(offset).padStart(10, '0')} 00000 n\r\n`;
  });
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n${rows.join('')}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export interface PageOptions {
  /** Further entries of the catalog, as they are written. */
  readonly catalog?: string;
  /** Further entries of the page. */
  readonly page?: string;
  readonly version?: string;
  readonly trailer?: string;
  /** Bytes of padding, to make it large. */
  readonly padding?: number;
  readonly more?: Readonly<Record<number, string>>;
}

/** One page that says so. */
export function onePage(options: PageOptions = {}): Buffer {
  const { catalog = '', page = '', padding = 0, more = {}, ...rest } = options;
  const content = 'BT /F1 24 Tf 72 700 Td (A contract) Tj ET';
  return writePdf({
    ...rest,
    objects: {
      1: `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
      2: '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]>>',
      3: `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>${page}>>`,
      4: `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
      5: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      ...(padding === 0
        ? {}
        : { 6: `<</Length ${padding}>>\nstream\n${'x'.repeat(padding)}\nendstream` }),
      ...more,
    },
  });
}

/** The page with this many cross-reference sections, each but the first of an empty revision. */
export function withSections(count: number): Buffer {
  let pdf = onePage();
  const parts: Buffer[] = [pdf];
  let previous = pdf.lastIndexOf('xref\n0 ');
  let at = pdf.length;
  for (let section = 1; section < count; section += 1) {
    pdf = Buffer.from(
      `xref\n0 0\ntrailer\n<</Size 6/Root 1 0 R/Prev ${previous}>>\nstartxref\n${at}\n%%EOF\n`,
    );
    parts.push(pdf);
    previous = at;
    at += pdf.length;
  }
  return Buffer.concat(parts);
}
