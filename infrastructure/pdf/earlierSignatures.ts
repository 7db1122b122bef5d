import type { PdfDocument } from './document.ts';
import { damaged, PdfFault } from './faults.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  isArray,
  isName,
  isReference,
  isText,
  type PdfDictionary,
  type PdfObject,
} from './objects.ts';

/** Signatures in the form of a PDF. */
export interface EarlierSignatures {
  /** True when at least one field is signed. */
  readonly signed: boolean;
  /** Partial names of the top-level fields. */
  readonly fieldNames: ReadonlySet<string>;
}

/**
 * Searches the form for signatures.
 *
 * @throws PdfFault PDF_LOCKED when one of them allows no change (DocMDP or a field's lock, permission 1: ISO 32000-2
 * §12.8.2.2, §12.7.5.5), PDF_DAMAGED when one does not cover the file around its own value, PDF_NOT_SUPPORTED for an XFA form, whose pages would hide the addition
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
    expectWellFormed(document, signature);
    refuseLocked(document, signature);
    if (permission(dictionary(field.entries.get('Lock'))) === 1) throw locked();
  }
  return { signed, fieldNames: namesOf(document, top) };
}

/**
 * Checks that a signature covers the file from its beginning, but for its own value and revisions added later
 * (§12.8.1): wrapping attacks move or hide what was signed by other ranges.
 *
 * @throws PdfFault PDF_DAMAGED
 */
function expectWellFormed(document: PdfDocument, { entries }: PdfDictionary): void {
  const contents = document.value(entries.get('Contents'));
  const gap = gapIn(document, document.value(entries.get('ByteRange')));
  const isValue =
    gap !== null &&
    isText(contents) &&
    // DER begins with a tag, which is never zero.
    contents.bytes[0] !== 0 &&
    // A value with white space is no longer than this; the rest need not be read.
    gap.length <= 4 * contents.bytes.length + 2 &&
    isValueAsWritten(gap, contents.bytes);
  if (!isValue) {
    throw damaged('A signature in the PDF does not cover the file around its own value.');
  }
}

/** Bytes between the two signed parts; null unless the first begins the file and both are in it, in order. */
function gapIn({ bytes, value }: PdfDocument, range: PdfObject): Buffer | null {
  const numbers = isArray(range) ? range.map(value) : [];
  if (numbers.length !== 4 || !numbers.every(isCount)) return null;
  const [start, length = 0, second = 0, secondLength = 0] = numbers;
  const end = second + secondLength;
  if (start !== 0 || length >= second || second >= end || end > bytes.length) return null;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(length, second);
}

function isValueAsWritten(gap: Buffer, contents: Uint8Array): boolean {
  const [, digits = ''] = /^<([0-9A-Fa-f\s]+)>$/.exec(gap.toString('latin1')) ?? [];
  return digits !== '' && Buffer.from(digits.replaceAll(/\s/g, ''), 'hex').equals(contents);
}

function isCount(object: PdfObject): object is number {
  return typeof object === 'number' && Number.isSafeInteger(object) && object >= 0;
}

/** Every field of a form, with its type, inherited or own. */
export function* fieldsBelow(
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
    if (seen.size > pdfLimits.fields.most) throw beyond('fields', seen.size);
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
