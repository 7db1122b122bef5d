import type { PdfDocument } from './document.ts';
import { damaged, PdfFault } from './faults.ts';
import { isArray, isName, isReference, type PdfDictionary, type PdfObject } from './objects.ts';

/** Signatures in the form of a PDF. */
export interface EarlierSignatures {
  /** True when at least one field is signed. */
  readonly signed: boolean;
  /** Partial names of the top-level fields. */
  readonly fieldNames: ReadonlySet<string>;
}

const MAX_FIELDS = 100_000;

/**
 * Searches the form for signatures.
 *
 * @throws PdfFault PDF_LOCKED when one of them allows no change (DocMDP or a field's lock, permission 1: ISO 32000-2
 * §12.8.2.2, §12.7.5.5), PDF_NOT_SUPPORTED for an XFA form, whose pages would hide the addition
 */
export function inspectSignatures(document: PdfDocument): EarlierSignatures {
  const { catalog, value, dictionary } = document;
  const form = dictionary(catalog.entries.get('AcroForm'));
  if (form?.entries.has('XFA') === true) {
    throw new PdfFault('PDF_NOT_SUPPORTED', 'The PDF contains an XFA form.');
  }
  const fields = value(form?.entries.get('Fields'));
  const top = isArray(fields) ? fields : [];
  const certification = dictionary(catalog.entries.get('Perms'))?.entries.get('DocMDP');
  let signed = certification !== undefined;
  refuseLocked(document, dictionary(certification));
  for (const { field, type } of fieldsBelow(document, top)) {
    const signature = isName(type, 'Sig') ? dictionary(field.entries.get('V')) : null;
    if (signature === null) continue;
    signed = true;
    refuseLocked(document, signature);
    if (permission(dictionary(field.entries.get('Lock'))) === 1) throw locked();
  }
  return { signed, fieldNames: namesOf(document, top) };
}

/** Every field of a form, with its type, inherited or own. */
function* fieldsBelow(
  { value, dictionary }: PdfDocument,
  top: readonly PdfObject[],
): Generator<{ readonly field: PdfDictionary; readonly type: PdfObject }> {
  const seen = new Set<number>();
  const waiting = top.map((field): { field: PdfObject; type: PdfObject } => ({
    field,
    type: null,
  }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isReference(next.field)) {
      if (seen.has(next.field.number)) continue;
      seen.add(next.field.number);
    }
    if (seen.size > MAX_FIELDS) throw damaged('The form has too many fields.');
    const field = dictionary(next.field);
    if (field === null) continue;
    const type = value(field.entries.get('FT') ?? next.type);
    yield { field, type };
    const kids = value(field.entries.get('Kids'));
    if (isArray(kids)) for (const kid of kids) waiting.push({ field: kid, type });
  }
}

function refuseLocked({ value, dictionary }: PdfDocument, signature: PdfDictionary | null): void {
  const references = value(signature?.entries.get('Reference'));
  for (const reference of isArray(references) ? references : []) {
    const entries = dictionary(reference)?.entries;
    const parameters = dictionary(entries?.get('TransformParams'));
    const isCertified = isName(value(entries?.get('TransformMethod')), 'DocMDP');
    if ((permission(parameters) ?? (isCertified ? 2 : null)) === 1) throw locked();
  }
}

function permission(dictionary: PdfDictionary | null): PdfObject {
  return dictionary?.entries.get('P') ?? null;
}

function locked(): PdfFault {
  return new PdfFault('PDF_LOCKED', 'A signature in the PDF allows no further change.');
}

function namesOf({ value, dictionary }: PdfDocument, fields: readonly PdfObject[]) {
  const names = new Set<string>();
  for (const field of fields) {
    const name = value(dictionary(field)?.entries.get('T'));
    if (typeof name === 'object' && name !== null && 'bytes' in name) {
      names.add(Buffer.from(name.bytes).toString('latin1'));
    }
  }
  return names;
}
