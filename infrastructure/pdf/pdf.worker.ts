import { createHash, timingSafeEqual } from 'node:crypto';
import type { Recognition } from '../../application/document/ports/documentInspection.ts';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { HashAlgorithm, HashType } from '../../domain/shared/digest.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import { warningsOf } from './activeContent.ts';
import { recognise } from './recognise.ts';
import { openPdf, type PdfDocument } from './document.ts';
import { PdfFault } from './faults.ts';
import { finishSignature, type UnsignedPdf } from './finishSignature.ts';
import { type PdfDictionary, pdfDictionary } from './objects.ts';
import { type PageTemplate, readPageTemplate } from './pageTemplate.ts';
import type { ValidationMaterial } from './securityStore.ts';
import { buildSignatureRevision, type SignatureOrder } from './signatureRevision.ts';
import { baseOf } from './update.ts';

/** Adds an empty signature to a document. */
export interface BuildTask {
  readonly task: 'build';
  readonly document: Uint8Array;
  /** Required digest of the document; null: any. */
  readonly expected: { readonly digest: Uint8Array; readonly hash: HashAlgorithm } | null;
  readonly order: SignatureOrder;
  /** Hash of the signature to come. */
  readonly hash: HashType;
  /** Bytes to reserve after the document. */
  readonly room: number;
}

export interface Built extends UnsignedPdf {
  /** Of the bytes covered by the signature. */
  readonly digest: Uint8Array;
  readonly warnings: readonly DocumentWarning[];
}

/** Inserts a finished signature into a prepared document. */
export interface CompleteTask {
  readonly task: 'complete';
  readonly document: Uint8Array;
  readonly contentsAt: number;
  readonly contentsBytes: number;
  readonly cms: Uint8Array;
  readonly material: ValidationMaterial;
}

/** Looks at what a document can do besides showing its pages. */
export interface InspectTask {
  readonly task: 'inspect';
  readonly document: Uint8Array;
}

/** Compares a file of any kind with signed ones. */
export interface RecogniseTask {
  readonly task: 'recognise';
  readonly document: Uint8Array;
  /** SHA-256, lower-case hexadecimal. */
  readonly signed: readonly string[];
}

export type PdfTask = BuildTask | CompleteTask | InspectTask | RecogniseTask;

export type PdfResult =
  | { readonly built: Built }
  | { readonly completed: Uint8Array }
  | { readonly warnings: readonly DocumentWarning[] }
  | { readonly recognised: Recognition }
  | { readonly refused: PdfFault['code'] | 'DIGEST_MISMATCH'; readonly detail: string | null };

let template: PageTemplate | undefined;

/** All PDF work, in a worker thread because it takes long. */
export default function work(task: PdfTask): PdfResult {
  try {
    switch (task.task) {
      case 'build':
        return build(task);
      case 'complete':
        return complete(task);
      case 'inspect':
        return { warnings: warningsOf(openPdf(task.document)) };
      case 'recognise':
        return { recognised: recognise(task.document, task.signed) };
    }
  } catch (error) {
    if (error instanceof PdfFault) return { refused: error.code, detail: error.message };
    throw error;
  }
}

function build({ document: bytes, expected, order, hash, room }: BuildTask): PdfResult {
  const document = openPdf(bytes);
  if (expected !== null) {
    // Checked after parsing: a file that is no PDF is reported as such, whatever its digest.
    const digest = createHash(expected.hash.toLowerCase()).update(bytes).digest();
    if (digest.length !== expected.digest.length || !timingSafeEqual(digest, expected.digest)) {
      return { refused: 'DIGEST_MISMATCH', detail: null };
    }
  }
  template ??= readPageTemplate();
  const revision = buildSignatureRevision(document, template, order);
  const memory = Buffer.allocUnsafeSlow(revision.next.length + room);
  memory.set(bytes);
  revision.bytes.copy(memory, bytes.length);
  if (Buffer.compare(memory.subarray(0, bytes.length), bytes) !== 0) {
    throw new Error('Invariant violated: the revision changed earlier bytes.');
  }
  expectCompletable(memory.subarray(0, revision.next.length));
  const [start, firstLength, second, secondLength] = revision.byteRange;
  const digest = createHash(hash.toLowerCase())
    .update(memory.subarray(start, firstLength))
    .update(memory.subarray(second, second + secondLength))
    .digest();
  const built: Built = {
    memory,
    digest,
    contentsAt: revision.contentsAt,
    contentsBytes: order.contentsBytes,
    base: revision.next,
    catalog: revision.catalog,
    store: securityStoreOf(document),
    warnings: warningsOf(document),
  };
  return handedOver({ built }, memory);
}

/**
 * Reads back the prepared document as {@link complete} will: our own additions count towards the limits.
 *
 * @throws PdfFault before anybody signs what could not be completed
 */
function expectCompletable(prepared: Uint8Array): void {
  try {
    securityStoreOf(openPdf(prepared));
  } catch (error) {
    if (!(error instanceof PdfFault)) throw error;
    throw new PdfFault(error.code, `With the signature added to it: ${error.message}`);
  }
}

function complete({ document: bytes, cms, material, ...place }: CompleteTask): PdfResult {
  const document = openPdf(bytes);
  const unsigned = { memory: bytes, base: baseOf(document), catalog: document.catalog };
  const completed = finishSignature(
    { ...unsigned, ...place, store: securityStoreOf(document) },
    Buffer.from(cms),
    material,
  );
  return handedOver({ completed }, completed);
}

function securityStoreOf({ catalog, value, dictionary }: PdfDocument): PdfDictionary | null {
  const store = dictionary(catalog.entries.get('DSS'));
  if (store === null) return null;
  const resolved = ['Certs', 'OCSPs', 'CRLs'].flatMap((key) => {
    const entry = store.entries.get(key);
    return entry === undefined ? [] : [[key, value(entry)] as const];
  });
  return pdfDictionary({ ...Object.fromEntries(store.entries), ...Object.fromEntries(resolved) });
}

/** Transfers the result's memory to the caller instead of copying it, where the result owns it. */
function handedOver(result: PdfResult, bytes: Buffer): PdfResult {
  if (bytes.byteLength !== bytes.buffer.byteLength) return result;
  const movable = { [transferableSymbol]: [bytes.buffer], [valueSymbol]: result };
  return move(movable) as unknown as PdfResult;
}
