import { deflateSync } from 'node:zlib';
import { createDrawing } from './drawing.ts';
import { damaged } from './faults.ts';
import { isReference, pdfDictionary, pdfName, pdfStream, withEntries } from './objects.ts';
import { readPageTemplate } from './pageTemplate.ts';
import { baseOf, createUpdate } from './update.ts';
import { pageLayout, pageSize } from './validationPage.ts';

/** A line of a text, set as a heading or as text; empty: a gap. */
export interface TextLine {
  readonly text: string;
  readonly isHeading?: boolean;
}

const TOP = 790;
const BOTTOM = 60;
const SIZE = { text: 8.5, heading: 12 } as const;
/** Distance of base lines, in sizes of the font. */
const LEADING = 1.55;
/** Lines that one line of the text is broken into at most. */
const MOST_PARTS = 20;

/**
 * Sets a text on as many pages of A4 as it needs, each with its number, in the font of the validation pages.
 *
 * @returns a PDF 1.4
 */
export function textDocument(lines: readonly TextLine[]): Buffer {
  const template = readPageTemplate();
  const { pdf } = template;
  const update = createUpdate(baseOf(pdf));
  const root = pdf.catalog.entries.get('Pages');
  const tree = pdf.dictionary(root);
  if (!isReference(root) || tree === null) throw damaged('The page tree is malformed.');
  const newDrawing = () => createDrawing(template);
  const pages = onPages(lines, newDrawing().wrap);
  const kids = pages.map((page, index) => {
    const drawing = newDrawing();
    const { left, width, ink } = pageLayout;
    for (const { text, base, isHeading } of page) {
      const size = isHeading ? SIZE.heading : SIZE.text;
      drawing.text(text, { left, base, size, bold: isHeading, color: ink.dark });
    }
    const number = `${index + 1} / ${pages.length}`;
    const from = left + width - drawing.widthOf(number, SIZE.text);
    drawing.text(number, { left: from, base: 36, size: SIZE.text, color: ink.quiet });
    return update.add(
      pdfDictionary({
        Type: pdfName('Page'),
        Parent: root,
        MediaBox: [0, 0, pageSize.width, pageSize.height],
        Resources: pdfDictionary({ Font: pdfDictionary({ F: template.font }) }),
        Contents: update.add(
          pdfStream({ Filter: pdfName('FlateDecode') }, deflateSync(drawing.content())),
        ),
      }),
    );
  });
  update.put(root, withEntries(tree, { Kids: kids, Count: kids.length }));
  return Buffer.concat([pdf.bytes, update.finish().bytes]);
}

interface PlacedLine {
  readonly text: string;
  readonly base: number;
  readonly isHeading: boolean;
}

function onPages(
  lines: readonly TextLine[],
  wrap: ReturnType<typeof createDrawing>['wrap'],
): readonly (readonly PlacedLine[])[] {
  const pages: PlacedLine[][] = [[]];
  let base = TOP;
  for (const { text, isHeading = false } of lines) {
    const size = isHeading ? SIZE.heading : SIZE.text;
    const parts = wrap(text, { width: pageLayout.width, size, lines: MOST_PARTS });
    for (const part of parts.length === 0 ? [''] : parts) {
      if (base < BOTTOM) {
        pages.push([]);
        base = TOP;
      }
      pages.at(-1)?.push({ text: part, base, isHeading });
      base -= size * LEADING;
    }
  }
  return pages;
}
