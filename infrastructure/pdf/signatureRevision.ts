import type { PdfDocument } from './document.ts';
import { inspectSignatures } from './earlierSignatures.ts';
import { addEmbeddedFile, attachToCatalog } from './embeddedFiles.ts';
import {
  isArray,
  isReference,
  type PdfDictionary,
  type PdfObject,
  type PdfReference,
  pdfDate,
  pdfDictionary,
  pdfName,
  pdfText,
  serialize,
  withEntries,
} from './objects.ts';
import { catalogForAddition, formForAddition } from './otherWriters.ts';
import type { PageTemplate } from './pageTemplate.ts';
import type { ValidationPage } from './stampContents.ts';
import { baseOf, createUpdate, type PdfUpdate, type RevisionBase } from './update.ts';
import { appendValidationPage, placeFurtherSignature } from './validationPages.ts';

/** A signature to be added to a PDF. */
export interface SignatureOrder {
  readonly page: ValidationPage;
  /** A file to attach, JSON. */
  readonly evidence: { readonly name: string; readonly json: string } | null;
  /** Unique in the document; the session's or the prepared document's id. */
  readonly fieldId: string;
  /** Name of the signer in the signature dictionary. */
  readonly signerName: string;
  readonly reason: string;
  /** Certifies the document when this is its first signature: later changes are limited (DocMDP, P 2). */
  readonly certifies: boolean;
  readonly time: Date;
  /** Bytes to reserve for the CMS. */
  readonly contentsBytes: number;
}

/** A revision with an empty signature. */
export interface SignatureRevision {
  /** To be appended to the document. */
  readonly bytes: Buffer;
  /** ISO 32000-2 §12.8.1: two pairs of offset and length. */
  readonly byteRange: readonly [number, number, number, number];
  /** Offset of the hexadecimal digits of the CMS in the file. */
  readonly contentsAt: number;
  readonly next: RevisionBase;
  readonly catalog: PdfDictionary;
}

/**
 * Builds the revision that adds validation page, evidence and an empty signature to a PDF, and nothing else.
 *
 * @throws PdfFault
 */
export function buildSignatureRevision(
  document: PdfDocument,
  template: PageTemplate,
  order: SignatureOrder,
): SignatureRevision {
  const earlier = inspectSignatures(document);
  const update = createUpdate(baseOf(document));
  const modified = pdfDate(order.time);
  const field = update.allocate();
  const building = { document, update, template, modified };
  const evidence =
    order.evidence === null
      ? null
      : addEmbeddedFile(update, {
          name: order.evidence.name,
          description: 'Signature of the citizen over the document as it was before this revision',
          contentType: 'application/json',
          bytes: Buffer.from(order.evidence.json, 'utf8'),
          modified,
        });
  const place = earlier.signed
    ? placeFurtherSignature(building, { mark: order.page.mark, evidence }, field)
    : appendValidationPage(building, order.page, field);
  const signature = update.allocate();
  update.put(
    field,
    pdfDictionary({
      Type: pdfName('Annot'),
      Subtype: pdfName('Widget'),
      FT: pdfName('Sig'),
      T: pdfText(fieldName(order.fieldId, earlier.fieldNames)),
      V: signature,
      // Annotation flags Print and Locked.
      F: 132,
      P: place.page,
      Rect: place.rectangle,
      AP: pdfDictionary({ N: place.appearance }),
    }),
  );
  const attachments =
    evidence !== null && order.evidence !== null && !earlier.signed
      ? attachToCatalog(document, order.evidence.name, evidence)
      : {};
  const present = earlier.signed
    ? document.catalog
    : catalogForAddition(document, update, { id: order.fieldId, time: order.time });
  const catalog = withEntries(present, {
    ...versionEntries(document),
    ...attachments,
    ...formEntry(document, update, field),
  });
  const isCertification = order.certifies && !earlier.signed;
  const certified = isCertification
    ? withEntries(catalog, { Perms: permissions(document, catalog, signature) })
    : catalog;
  update.put(document.root, certified);
  const dictionary = signatureDictionary(order, isCertification);
  update.put(signature, dictionary.bytes);
  const { bytes, next, offsetOf } = update.finish();
  const start = offsetOf(signature);
  const contentsAt = start + dictionary.contentsAt;
  const contentsEnd = contentsAt + order.contentsBytes * 2 + 1;
  const byteRange = [0, contentsAt - 1, contentsEnd, next.length - contentsEnd] as const;
  const written = byteRange.map((value) => String(value)).join(' ');
  const at = start + dictionary.byteRangeAt - document.bytes.length;
  bytes.write(written.padEnd(BYTE_RANGE_WIDTH), at, 'latin1');
  return { bytes, byteRange, contentsAt, next, catalog: certified };
}

const BYTE_RANGE_WIDTH = 48;

/** Permissions that name the certification (ISO 32000-2 §12.8.6). */
function permissions(
  { dictionary }: PdfDocument,
  catalog: PdfDictionary,
  signature: PdfReference,
): PdfDictionary {
  const present = dictionary(catalog.entries.get('Perms')) ?? pdfDictionary({});
  return withEntries(present, { DocMDP: signature });
}

/** Transform of a certification (§12.8.2.2): filling in fields and signing stay allowed. */
const certification = pdfDictionary({
  Type: pdfName('SigRef'),
  TransformMethod: pdfName('DocMDP'),
  TransformParams: pdfDictionary({ Type: pdfName('TransformParams'), P: 2, V: pdfName('1.2') }),
});

function signatureDictionary(
  { signerName, reason, time, contentsBytes }: SignatureOrder,
  isCertification: boolean,
) {
  const entries = serialize(
    pdfDictionary({
      Type: pdfName('Sig'),
      Filter: pdfName('Adobe.PPKLite'),
      SubFilter: pdfName('ETSI.CAdES.detached'),
      M: pdfDate(time),
      Name: pdfText(signerName),
      Reason: pdfText(reason),
      ...(isCertification ? { Reference: [certification] } : {}),
    }),
  );
  const head = Buffer.concat([entries.subarray(0, -2), Buffer.from('/ByteRange[', 'latin1')]);
  const middle = `${' '.repeat(BYTE_RANGE_WIDTH)}]/Contents<`;
  const bytes = Buffer.concat([
    head,
    Buffer.from(middle, 'latin1'),
    Buffer.alloc(contentsBytes * 2, '0'),
    Buffer.from('>>>', 'latin1'),
  ]);
  return { bytes, byteRangeAt: head.length, contentsAt: head.length + middle.length };
}

function fieldName(id: string, taken: ReadonlySet<string>): string {
  let name = `Tamga ${id}`;
  for (let copy = 2; taken.has(name); copy += 1) name = `Tamga ${id} (${copy})`;
  return name;
}

/** The form with one more field; a form that is an indirect object is replaced. */
function formEntry(
  document: PdfDocument,
  update: PdfUpdate,
  field: PdfReference,
): Readonly<Record<string, PdfObject>> {
  const { catalog, value, dictionary } = document;
  const entry = catalog.entries.get('AcroForm');
  const form = formForAddition(document, dictionary(entry) ?? pdfDictionary({}));
  const fields = value(form.entries.get('Fields'));
  const merged = withEntries(form, {
    Fields: [...(isArray(fields) ? fields : []), field],
    // SignaturesExist and AppendOnly (§12.7.3, table 225).
    SigFlags: 3,
  });
  if (!isReference(entry)) return { AcroForm: merged };
  update.put(entry, merged);
  return {};
}

/** PAdES signatures and the DSS need PDF 2.0, or 1.7 with this extension (ETSI TS 102 778-4, Annex A). */
function versionEntries({
  version,
  catalog,
  dictionary,
}: PdfDocument): Readonly<Record<string, PdfObject>> {
  if (version >= 2) return {};
  const extensions = dictionary(catalog.entries.get('Extensions')) ?? pdfDictionary({});
  const present = dictionary(extensions.entries.get('ESIC'));
  // A higher level that a writer declared holds still.
  const level = Math.max(5, Number(present?.entries.get('ExtensionLevel') ?? 0));
  const etsi = pdfDictionary({ BaseVersion: pdfName('1.7'), ExtensionLevel: level });
  return {
    ...(version < 1.7 ? { Version: pdfName('1.7') } : {}),
    Extensions: withEntries(extensions, { ESIC: etsi }),
  };
}
