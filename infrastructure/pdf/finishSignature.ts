import type { PdfDictionary } from './objects.ts';
import { securityStoreRevision, type ValidationMaterial } from './securityStore.ts';
import type { RevisionBase } from './update.ts';

/** A PDF with an empty signature, and the data the following revision needs. */
export interface UnsignedPdf {
  /** The file's bytes, with free capacity after them. */
  readonly memory: Uint8Array;
  readonly contentsAt: number;
  readonly contentsBytes: number;
  readonly base: RevisionBase;
  readonly catalog: PdfDictionary;
  /** The existing document security store, its arrays resolved. */
  readonly store: PdfDictionary | null;
}

/**
 * Writes the signature into its reserved bytes, and appends the security store.
 *
 * @param cms DER
 * @throws Error when the signature is larger than the reserved bytes
 */
export function finishSignature(
  { memory, contentsAt, contentsBytes, base, catalog, store }: UnsignedPdf,
  cms: Buffer,
  material: ValidationMaterial,
): Buffer {
  if (cms.length > contentsBytes) {
    throw new Error(`A signature of ${cms.length} bytes does not fit into ${contentsBytes}.`);
  }
  const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  bytes.write(cms.toString('hex'), contentsAt, 'latin1');
  const behind = securityStoreRevision(base, { catalog, existing: store }, material);
  const end = base.length + behind.length;
  if (end > bytes.length) return Buffer.concat([bytes.subarray(0, base.length), behind]);
  behind.copy(bytes, base.length);
  return bytes.subarray(0, end);
}
