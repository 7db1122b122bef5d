import type { PdfDocument } from './document.ts';
import {
  isArray,
  isDictionary,
  isReference,
  isStream,
  type PdfDictionary,
  type PdfObject,
  type PdfReference,
} from './objects.ts';
import type { PdfUpdate } from './update.ts';

/** Copies objects of one PDF, with everything they refer to, into an update of another; each once. */
export interface ObjectCopier {
  /** @returns its reference in the target */
  copy(reference: PdfReference): PdfReference;
  /** The object with its references translated. */
  translate(object: PdfObject): PdfObject;
}

export function createObjectCopier(source: PdfDocument, update: PdfUpdate): ObjectCopier {
  const copied = new Map<number, PdfReference>();

  function copy(reference: PdfReference): PdfReference {
    const known = copied.get(reference.number);
    if (known !== undefined) return known;
    const target = update.allocate();
    copied.set(reference.number, target);
    update.put(target, translate(source.value(reference)));
    return target;
  }

  function translate(object: PdfObject): PdfObject {
    if (isReference(object)) return copy(object);
    if (isArray(object)) return object.map(translate);
    if (isDictionary(object)) return translateDictionary(object);
    if (!isStream(object)) return object;
    const { dictionary, data } = object;
    // Its length is recomputed.
    const entries = new Map(dictionary.entries);
    entries.delete('Length');
    return {
      kind: 'stream',
      dictionary: translateDictionary({ kind: 'dictionary', entries }),
      data,
    };
  }

  function translateDictionary({ entries }: PdfDictionary): PdfDictionary {
    const translated = [...entries].map(([key, value]) => [key, translate(value)] as const);
    return { kind: 'dictionary', entries: new Map(translated) };
  }

  return { copy, translate };
}
