import { deflateSync } from 'node:zlib';
import type { PdfDocument } from './document.ts';
import { PdfFault } from './faults.ts';
import { fieldsBelow } from './earlierSignatures.ts';
import { decodeStream } from './filters.ts';
import { rewriteMetadata } from './metadata.ts';
import {
  isArray,
  isName,
  isReference,
  isStream,
  isText,
  type PdfDictionary,
  type PdfObject,
  pdfDate,
  pdfDictionary,
  pdfName,
  pdfText,
  withEntries,
  withoutEntries,
} from './objects.ts';
import type { PdfUpdate } from './update.ts';

/** Entries of the catalog that do not hold for a file with one page more, by clause of ISO 32000-2. */
const untrueInCatalog = [
  // §12.3.5: readers open the attachments of a portable collection in the place of its pages, our page among them.
  'Collection',
  // §12.8.7: an author's attestation of what the file contains.
  'Legal',
  // §14.12: document parts cover every page.
  'DPartRoot',
  // §14.3.2; replaced where it can be read.
  'Metadata',
] as const;

/** Usage rights (§12.8.6, deprecated): a signature over the file that any addition breaks, which readers then report. */
const usageRights = ['UR', 'UR3'] as const;

/** Claims of conformance in the information dictionary (ISO 15930): our page was not made for it. */
const untrueInInformation = ['GTS_PDFXVersion', 'GTS_PDFXConformance'] as const;

/**
 * Catalog without entries of other writers that our revision makes untrue or that would hide it. A signed document keeps
 * them: validators take their change for one of what was signed.
 *
 * @param revision its time, and an identifier of its own
 * @throws PdfFault PDF_NOT_SUPPORTED for pages drawn by a form program (`NeedsRendering`, §7.7.2): ours would not be
 */
export function catalogForAddition(
  document: PdfDocument,
  update: PdfUpdate,
  revision: { readonly id: string; readonly time: Date },
): PdfDictionary {
  const { catalog, value, dictionary } = document;
  if (value(catalog.entries.get('NeedsRendering')) === true) {
    throw new PdfFault(
      'PDF_NOT_SUPPORTED',
      'The pages of the PDF are drawn by its form (NeedsRendering), so a signature would not be seen. Print it to a PDF first.',
    );
  }
  markInformationChanged(document, update, revision.time);
  const permissions = dictionary(catalog.entries.get('Perms'));
  return withEntries(withoutEntries(catalog, untrueInCatalog), {
    ...metadataEntry(document, update, revision),
    ...labelsEntry(document),
    ...(permissions === null ? {} : { Perms: withoutEntries(permissions, usageRights) }),
  });
}

/**
 * Form without `NeedAppearances` (§12.7.3): readers would draw its fields anew after signing, and some then hide the
 * signature.
 *
 * @throws PdfFault PDF_NOT_SUPPORTED when a field's appearance does not show its value: without the entry another text
 * would be seen than before
 */
export function formForAddition(document: PdfDocument, form: PdfDictionary): PdfDictionary {
  const { value } = document;
  if (value(form.entries.get('NeedAppearances')) !== true) return form;
  const fields = value(form.entries.get('Fields'));
  for (const { field, type } of fieldsBelow(document, isArray(fields) ? fields : [])) {
    if (['Tx', 'Ch'].some((kind) => isName(type, kind)) && !showsItsValue(document, field)) {
      throw new PdfFault(
        'PDF_NOT_SUPPORTED',
        'The form asks for its fields to be redrawn (NeedAppearances), but one field shows something other than its value. Save the form with the appearances of its fields, or flatten it.',
      );
    }
  }
  return withoutEntries(form, ['NeedAppearances']);
}

/** True without a value or an appearance, from which readers draw it either way. */
function showsItsValue({ value, dictionary }: PdfDocument, { entries }: PdfDictionary): boolean {
  const text = value(entries.get('V'));
  const appearance = value(dictionary(entries.get('AP'))?.entries.get('N'));
  if (!isText(text) || text.bytes.length === 0 || !isStream(appearance)) return true;
  const drawn = readable(() => decodeStream(appearance, value));
  if (drawn === null) return false;
  const content = Buffer.from(drawn).toString('latin1');
  const shown = Buffer.from(text.bytes);
  const hexadecimal = new RegExp(`<${shown.toString('hex')}>`, 'i');
  return content.includes(`(${shown.toString('latin1')})`) || hexadecimal.test(content);
}

/** §14.3.3: `ModDate` is that of the last change; a page that nobody trapped leaves it unknown whether all are. */
function markInformationChanged(
  { trailer, dictionary }: PdfDocument,
  update: PdfUpdate,
  time: Date,
) {
  const reference = trailer.entries.get('Info');
  const information = dictionary(reference);
  if (!isReference(reference) || information === null) return;
  update.put(
    reference,
    withEntries(withoutEntries(information, untrueInInformation), {
      ModDate: pdfDate(time),
      ...(information.entries.has('Trapped') ? { Trapped: pdfName('Unknown') } : {}),
    }),
  );
}

/** The metadata without claims of conformance; none when it cannot be read. */
function metadataEntry(
  { catalog, value }: PdfDocument,
  update: PdfUpdate,
  revision: { readonly id: string; readonly time: Date },
): Readonly<Record<string, PdfObject>> {
  const reference = catalog.entries.get('Metadata');
  const stream = value(reference);
  if (!isReference(reference) || !isStream(stream)) return {};
  const former = readable(() => decodeStream(stream, value));
  const text = former === null ? null : rewriteMetadata(former, revision);
  if (text === null) return {};
  update.put(reference, {
    kind: 'stream',
    dictionary: withEntries(withoutEntries(stream.dictionary, ['DecodeParms', 'Length']), {
      Filter: pdfName('FlateDecode'),
    }),
    data: deflateSync(text),
  });
  return { Metadata: reference };
}

/** §12.4.2: the last range of labels would count our page on, as one more of an annex. */
function labelsEntry({
  catalog,
  value,
  dictionary,
}: PdfDocument): Readonly<Record<string, PdfObject>> {
  const labels = dictionary(catalog.entries.get('PageLabels'));
  const count = value(dictionary(catalog.entries.get('Pages'))?.entries.get('Count'));
  if (labels === null || typeof count !== 'number') return {};
  const added = [count, pdfDictionary({ P: pdfText('Tamga') })];
  const kids = value(labels.entries.get('Kids'));
  if (isArray(kids)) {
    const leaf = pdfDictionary({ Limits: [count, count], Nums: added });
    return { PageLabels: withEntries(labels, { Kids: [...kids, leaf] }) };
  }
  const ranges = value(labels.entries.get('Nums'));
  return {
    PageLabels: withEntries(labels, { Nums: [...(isArray(ranges) ? ranges : []), ...added] }),
  };
}

function readable<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PdfFault) return null;
    throw error;
  }
}
