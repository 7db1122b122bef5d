import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPdf, type PdfDocument } from './document.ts';
import { damaged } from './faults.ts';
import { decodeStream } from './filters.ts';
import { type FontMetrics, readFontMetrics } from './fontMetrics.ts';
import { isArray, isReference, isStream, type PdfReference } from './objects.ts';

/** Common content of all validation pages, drawn once: copying it takes microseconds, drawing it milliseconds. */
export interface PageTemplate {
  /** A PDF whose first page is the empty validation page. */
  readonly pdf: PdfDocument;
  readonly page: PdfReference;
  /** The font of all other text: a Type 0 font of two-byte codes. */
  readonly font: PdfReference;
  /** The font's code of a character; undefined when it has none. */
  codeOf(codePoint: number): number | undefined;
  readonly metrics: FontMetrics;
}

/** Beside the compiled module in a bundle, otherwise in the sources. */
const directories = ['./', '../../../infrastructure/pdf/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Path of a file shipped with the program. @param name within this folder of the sources */
export function assetFile(name: string): string {
  return join(directories.find((folder) => existsSync(join(folder, 'fonts'))) ?? '', name);
}

/** The empty validation page, drawn by `./tamga docs`. */
export const templateFile = 'infrastructure/pdf/template/validation-page.pdf';

/** Reads the template and the metrics of its font. Synchronous, a few milliseconds, once per worker thread. */
export function readPageTemplate(): PageTemplate {
  const metrics = readFontMetrics(assetFile('fonts/NotoSans-Regular.ttf'));
  return parseTemplate(readFileSync(assetFile('template/validation-page.pdf')), metrics);
}

function parseTemplate(bytes: Buffer, metrics: FontMetrics): PageTemplate {
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

/** Inverts a ToUnicode map (ISO 32000-2 §9.10.3). */
function readCodes(map: string): ReadonlyMap<number, number> {
  const codes = new Map<number, number>();
  for (const [, section = ''] of map.matchAll(/beginbfchar([^]*?)endbfchar/g)) {
    for (const [, code = '', text = ''] of section.matchAll(/<([0-9a-f]+)>\s*<([0-9a-f]+)>/gi)) {
      codes.set(parseInt(text, 16), parseInt(code, 16));
    }
  }
  return codes;
}
