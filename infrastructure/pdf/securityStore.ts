import {
  isArray,
  type PdfDictionary,
  type PdfObject,
  type PdfReference,
  pdfDictionary,
  pdfName,
  pdfStream,
  withEntries,
} from './objects.ts';
import { createUpdate, type RevisionBase } from './update.ts';

/** Validation material for the long term, DER. */
export interface ValidationMaterial {
  readonly certificates: readonly Buffer[];
  readonly ocspResponses: readonly Buffer[];
  readonly crls: readonly Buffer[];
}

/**
 * Builds the revision that adds a document security store (ISO 32000-2 §12.8.4.3, EN 319 142-1 §5.4), or extends the
 * existing one: PAdES B-LT.
 *
 * @param catalog of the previous revision
 * @param existing that catalog's `DSS`, its arrays resolved
 */
export function securityStoreRevision(
  base: RevisionBase,
  {
    catalog,
    existing,
  }: { readonly catalog: PdfDictionary; readonly existing: PdfDictionary | null },
  material: ValidationMaterial,
): Buffer {
  const update = createUpdate(base);
  const store = existing ?? pdfDictionary({ Type: pdfName('DSS') });
  const added = (key: string, values: readonly Buffer[]): Record<string, readonly PdfObject[]> => {
    const former = store.entries.get(key);
    const kept = isArray(former) ? former : [];
    const references = values.map((der): PdfReference => update.add(pdfStream({}, der)));
    const all = [...kept, ...references];
    return all.length === 0 ? {} : { [key]: all };
  };
  const reference = update.add(
    withEntries(store, {
      ...added('Certs', material.certificates),
      ...added('OCSPs', material.ocspResponses),
      ...added('CRLs', material.crls),
    }),
  );
  update.put(base.root, withEntries(catalog, { DSS: reference }));
  return update.finish().bytes;
}
