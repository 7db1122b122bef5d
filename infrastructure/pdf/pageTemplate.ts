import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import muhammara, { type WriteStream } from 'muhammara';
import { openPdf, type PdfDocument } from './document.ts';
import { damaged } from './faults.ts';
import { decodeStream } from './filters.ts';
import { type FontMetrics, readFontMetrics } from './fontMetrics.ts';
import { isArray, isReference, isStream, type PdfReference } from './objects.ts';

/** What every validation page has in common, drawn once: copied, it costs microseconds where drawing costs milliseconds. */
export interface PageTemplate {
  /** A PDF whose first page is the empty validation page. */
  readonly pdf: PdfDocument;
  readonly page: PdfReference;
  /** The font all other text is set in: a Type 0 font of two-byte codes. */
  readonly font: PdfReference;
  /** The font's code of a character; undefined when it has none. */
  codeOf(codePoint: number): number | undefined;
  readonly metrics: FontMetrics;
}

/** Beside the compiled module in a bundle, else in the sources. */
const directories = ['./fonts/', '../../../infrastructure/pdf/fonts/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

function fontFile(name: string): string {
  return join(directories.find((folder) => existsSync(folder)) ?? '', name);
}

/** Draws on the empty page. */
export type Background = (draw: {
  /** `bold` for headings, `0xRRGGBB`, points from the lower left corner. */
  text(
    text: string,
    place: { left: number; base: number; size: number; color: number; bold?: boolean },
  ): void;
  /** Left, bottom, width, height. */
  rectangle(place: readonly [number, number, number, number], color: number): void;
}) => void;

/** Draws the page and embeds the fonts. Synchronous, some ten milliseconds: once for each worker thread. */
export function createPageTemplate(
  size: { readonly width: number; readonly height: number },
  background: Background,
): PageTemplate {
  const regularFile = fontFile('NotoSans-Regular.ttf');
  const metrics = readFontMetrics(regularFile);
  const stream = memoryStream();
  const writer = muhammara.createWriter(stream, { version: muhammara.ePDFVersion14 });
  const regular = writer.getFontForFile(regularFile);
  const bold = writer.getFontForFile(fontFile('NotoSans-Bold.ttf'));

  const page = writer.createPage(0, 0, size.width, size.height);
  const content = writer.startPageContentContext(page);
  background({
    text: (text, { left, base, bold: isBold = false, ...options }) => {
      content.writeText(text, left, base, { font: isBold ? bold : regular, ...options });
    },
    rectangle: (place, color) => {
      content.drawRectangle(...place, { type: 'fill', color });
    },
  });
  writer.writePage(page);

  // A second page names every character, so that the font holds them all; only its font is used.
  const everything = writer.createPage(0, 0, 10, 10);
  const all = String.fromCodePoint(...metrics.codePoints);
  writer.startPageContentContext(everything).writeText(all, 0, 0, { font: regular, size: 1 });
  writer.writePage(everything);
  writer.end();
  return readTemplate(stream.bytes(), metrics);
}

function memoryStream(): WriteStream & { bytes(): Buffer } {
  const chunks: Buffer[] = [];
  let position = 0;
  return {
    write(bytes: readonly number[]) {
      chunks.push(Buffer.from(bytes));
      position += bytes.length;
      return bytes.length;
    },
    getCurrentPosition: () => position,
    bytes: () => Buffer.concat(chunks),
  };
}

function readTemplate(bytes: Buffer, metrics: FontMetrics): PageTemplate {
  const pdf = openPdf(bytes);
  const kids = pdf.value(pdf.dictionary(pdf.catalog.entries.get('Pages'))?.entries.get('Kids'));
  const [page, everything] = isArray(kids) ? kids : [];
  const resources = pdf.dictionary(pdf.dictionary(everything)?.entries.get('Resources'));
  const fonts = pdf.dictionary(resources?.entries.get('Font'));
  const [font] = [...(fonts?.entries.values() ?? [])];
  if (!isReference(page) || !isReference(font)) throw damaged('The template has no font.');
  const toUnicode = pdf.value(pdf.dictionary(font)?.entries.get('ToUnicode'));
  if (!isStream(toUnicode)) throw damaged('The font of the template names no characters.');
  const codes = readCodes(Buffer.from(decodeStream(toUnicode, pdf.value)).toString('latin1'));
  return { pdf, page, font, metrics, codeOf: (codePoint) => codes.get(codePoint) };
}

/** A ToUnicode map read backwards (ISO 32000-2 §9.10.3). */
function readCodes(map: string): ReadonlyMap<number, number> {
  const codes = new Map<number, number>();
  for (const [, section = ''] of map.matchAll(/beginbfchar([^]*?)endbfchar/g)) {
    for (const [, code = '', text = ''] of section.matchAll(/<([0-9a-f]+)>\s*<([0-9a-f]+)>/gi)) {
      codes.set(parseInt(text, 16), parseInt(code, 16));
    }
  }
  return codes;
}
