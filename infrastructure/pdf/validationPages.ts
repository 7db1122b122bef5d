import { deflateSync } from 'node:zlib';
import { createObjectCopier } from './copyObjects.ts';
import type { PdfDocument } from './document.ts';
import { damaged } from './faults.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  isArray,
  isReference,
  latin1,
  type PdfObject,
  type PdfReference,
  pdfDictionary,
  pdfName,
  type PdfStream,
  pdfStream,
  withEntries,
} from './objects.ts';
import type { PageTemplate } from './pageTemplate.ts';
import type { SignerMark, ValidationPage } from './stampContents.ts';
import type { PdfUpdate } from './update.ts';
import {
  drawSignerMark,
  drawValidationPage,
  markRectangle,
  marksPerPage,
  markSize,
  pageSize,
} from './validationPage.ts';

/** Marks our pages in `PieceInfo`, so that a later signature recognizes them (ISO 32000-2 §14.5). */
const APPLICATION = 'Tamga';

/** Page and rectangle of a signature field. */
export interface FieldLocation {
  readonly page: PdfReference;
  readonly rectangle: readonly number[];
  /** The normal appearance. */
  readonly appearance: PdfReference;
}

export interface PageBuilding {
  readonly document: PdfDocument;
  readonly update: PdfUpdate;
  readonly template: PageTemplate;
  readonly modified: PdfObject;
}

/**
 * Appends a validation page as the last page; the signature's field lies over its first frame.
 *
 * @param field to add to the page
 */
export function appendValidationPage(
  { document, update, template, modified }: PageBuilding,
  contents: ValidationPage,
  field: PdfReference,
): FieldLocation {
  const copier = createObjectCopier(template.pdf, update);
  const background = template.pdf.dictionary(template.page);
  const fonts = template.pdf.dictionary(
    template.pdf.dictionary(background?.entries.get('Resources'))?.entries.get('Font'),
  );
  const used = fonts === null ? {} : Object.fromEntries(fonts.entries);
  const resources = pdfDictionary({
    Font: copier.translate(pdfDictionary({ ...used, F: template.font })),
  });
  const under = background?.entries.get('Contents');
  // A tagged document stays one (§14.8.2.2): contents without a tag are marked as belonging to none.
  const isTagged =
    document.value(
      document.dictionary(document.catalog.entries.get('MarkInfo'))?.entries.get('Marked'),
    ) === true;
  const artifact = isTagged ? [pdfStream({}, latin1('/Artifact BMC '))] : [];
  const page = update.allocate();
  const pages = addKid(document, update, page);
  update.put(
    page,
    pdfDictionary({
      Type: pdfName('Page'),
      Parent: pages,
      MediaBox: [0, 0, pageSize.width, pageSize.height],
      // Inheritable attributes are set here, so that none is inherited from the page tree.
      CropBox: [0, 0, pageSize.width, pageSize.height],
      Rotate: 0,
      Resources: resources,
      Contents: [
        ...artifact.map((stream) => update.add(stream)),
        ...(under === undefined ? [] : [copier.translate(under)]),
        update.add(
          flate(
            Buffer.concat([drawValidationPage(template, contents), latin1(isTagged ? ' EMC' : '')]),
          ),
        ),
      ],
      Annots: [field],
      LastModified: modified,
      PieceInfo: pdfDictionary({
        [APPLICATION]: pdfDictionary({ LastModified: modified, Private: pdfName('Validation') }),
      }),
    }),
  );
  return {
    page,
    rectangle: markRectangle(0),
    appearance: update.add(form(markSize, Buffer.alloc(0), {})),
  };
}

/**
 * Location of the field of a further signature in a signed document: a free frame of our validation page when it is the
 * last page, otherwise an invisible field on the last page. Validators treat an added page as a change to the signed
 * document, but not a field or its appearance. The evidence goes into the appearance: the catalog's lists must stay as
 * signed. After a certification the field is invisible, too: validators stricter than the standard take a new visible one
 * for a forbidden change.
 */
export function placeFurtherSignature(
  { document, update, template }: PageBuilding,
  { mark, evidence }: { readonly mark: SignerMark; readonly evidence: PdfReference | null },
  field: PdfReference,
): FieldLocation {
  const page = lastPage(document);
  const dictionary = document.dictionary(page);
  if (dictionary === null) throw damaged('The last page is missing.');
  const annotations = document.value(dictionary.entries.get('Annots'));
  const taken = isArray(annotations) ? annotations : [];
  update.put(page, withEntries(dictionary, { Annots: [...taken, field] }));
  const attached = evidence === null ? {} : { AF: [evidence] };
  const pieces = document.dictionary(dictionary.entries.get('PieceInfo'));
  const isCertified =
    document.dictionary(document.catalog.entries.get('Perms'))?.entries.has('DocMDP') === true;
  const isOurs = pieces?.entries.has(APPLICATION) === true;
  if (isCertified || !isOurs || taken.length >= marksPerPage) {
    return {
      page,
      rectangle: [0, 0, 0, 0],
      appearance: update.add(form({ width: 0, height: 0 }, Buffer.alloc(0), attached)),
    };
  }
  const copier = createObjectCopier(template.pdf, update);
  const resources = pdfDictionary({ Font: pdfDictionary({ F: copier.copy(template.font) }) });
  return {
    page,
    rectangle: markRectangle(taken.length),
    appearance: update.add(
      form(markSize, drawSignerMark(template, mark), { Resources: resources, ...attached }),
    ),
  };
}

function flate(data: Buffer): PdfStream {
  return pdfStream({ Filter: pdfName('FlateDecode') }, deflateSync(data));
}

function form(
  { width, height }: { readonly width: number; readonly height: number },
  content: Buffer,
  entries: Readonly<Record<string, PdfObject>>,
): PdfStream {
  return pdfStream(
    {
      Type: pdfName('XObject'),
      Subtype: pdfName('Form'),
      BBox: [0, 0, width, height],
      Filter: pdfName('FlateDecode'),
      ...entries,
    },
    deflateSync(content),
  );
}

/** Adds `page` as the last kid of the page tree's root. @returns the root */
function addKid(document: PdfDocument, update: PdfUpdate, page: PdfReference): PdfReference {
  const pages = document.catalog.entries.get('Pages');
  const dictionary = document.dictionary(pages);
  if (!isReference(pages) || dictionary === null) throw damaged('The page tree is malformed.');
  const kids = document.value(dictionary.entries.get('Kids'));
  const count = document.value(dictionary.entries.get('Count'));
  if (!isArray(kids) || typeof count !== 'number') throw damaged('The page tree is malformed.');
  update.put(pages, withEntries(dictionary, { Kids: [...kids, page], Count: count + 1 }));
  return pages;
}

/** The last leaf of the page tree. @throws PdfFault for a circle, or a tree of too many levels */
export function lastPage({ catalog, value, dictionary }: PdfDocument): PdfReference {
  let node = catalog.entries.get('Pages');
  const passed = new Set<number>();
  for (let levels = 1; ; levels += 1) {
    const kids = value(dictionary(node)?.entries.get('Kids'));
    if (!isArray(kids)) break;
    if (isReference(node)) {
      if (passed.has(node.number)) throw damaged('The page tree forms a circle.');
      passed.add(node.number);
    }
    if (levels > pdfLimits.pageTreeLevels.most) throw beyond('pageTreeLevels', levels);
    node = kids.at(-1);
  }
  if (!isReference(node)) throw damaged('The page tree is malformed.');
  return node;
}
