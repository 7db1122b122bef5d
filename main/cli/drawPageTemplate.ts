import muhammara, { type WriteStream } from 'muhammara';
import { readFontMetrics } from '../../infrastructure/pdf/fontMetrics.ts';
import { assetFile } from '../../infrastructure/pdf/pageTemplate.ts';
import { pageLayout, pageSize } from '../../infrastructure/pdf/validationPage.ts';

/**
 * Draws the constant part of validation pages, with fonts embedded. The service ships the result
 * (ADR 13): native code runs here, once, and not in worker threads of the service.
 *
 * @returns a PDF whose first page is the empty validation page
 */
export function drawPageTemplate(): Buffer {
  const regularFile = assetFile('fonts/NotoSans-Regular.ttf');
  const stream = memoryStream();
  const writer = muhammara.createWriter(stream, { version: muhammara.ePDFVersion14 });
  const regular = writer.getFontForFile(regularFile);
  const bold = writer.getFontForFile(assetFile('fonts/NotoSans-Bold.ttf'));

  const { left, width, documentFrame, ink } = pageLayout;
  const page = writer.createPage(0, 0, pageSize.width, pageSize.height);
  const content = writer.startPageContentContext(page);
  const rectangle = (
    x: number,
    y: number,
    [across, up]: readonly [number, number],
    color: number,
  ) => content.drawRectangle(x, y, across, up, { type: 'fill', color });
  rectangle(left, 790, [width, 3], ink.accent);
  const heading = { font: bold, size: 17, color: ink.dark };
  content.writeText('Цахим гарын үсгийн баталгаажуулалт', left, 762, heading);
  rectangle(left, documentFrame.bottom, [width, documentFrame.height], ink.panel);
  rectangle(left, documentFrame.bottom, [3, documentFrame.height], ink.accent);
  rectangle(left, 88, [width, 0.6], ink.line);
  writer.writePage(page);

  // A second page uses every character, so that the embedded font contains them all; only its font
  // is used.
  const everything = writer.createPage(0, 0, 10, 10);
  const all = String.fromCodePoint(...readFontMetrics(regularFile).codePoints);
  writer.startPageContentContext(everything).writeText(all, 0, 0, { font: regular, size: 1 });
  writer.writePage(everything);
  writer.end();
  return stream.bytes();
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
