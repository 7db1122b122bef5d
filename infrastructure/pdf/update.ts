import { createHash } from 'node:crypto';
import type { PdfDocument } from './document.ts';
import {
  isArray,
  latin1,
  type PdfDictionary,
  type PdfObject,
  type PdfReference,
  pdfBytes,
  pdfDictionary,
  pdfName,
  pdfReference,
  serialize,
} from './objects.ts';

/** End of a PDF to which a revision is appended (ISO 32000-2 §7.5.6). */
export interface RevisionBase {
  /** Length of the file, bytes. */
  readonly length: number;
  readonly startXref: number;
  readonly xrefKind: 'table' | 'stream';
  readonly size: number;
  readonly root: PdfReference;
  readonly info: PdfObject;
  /** The file's permanent identifier, when it has one. */
  readonly fileId: PdfObject;
}

/** An incremental update: new or replaced objects, appended after the existing bytes. */
export interface PdfUpdate {
  add(object: PdfObject): PdfReference;
  /** Returns an unused object number. */
  allocate(): PdfReference;
  /** A Buffer is written verbatim. */
  put(reference: PdfReference, object: PdfObject | Buffer): void;
  /** Writes the cross-reference section. */
  finish(): FinishedUpdate;
}

export interface FinishedUpdate {
  /** To be appended. */
  readonly bytes: Buffer;
  /** Offset of an object's content (after `obj`) in the file. */
  offsetOf(reference: PdfReference): number;
  /** Base of the next revision. */
  readonly next: RevisionBase;
}

export function baseOf(document: PdfDocument): RevisionBase {
  const { bytes, startXref, xrefKind, size, root, trailer, value } = document;
  const id = value(trailer.entries.get('ID'));
  return {
    startXref,
    xrefKind,
    size,
    root,
    length: bytes.length,
    info: trailer.entries.get('Info') ?? null,
    fileId: isArray(id) ? (id[0] ?? null) : null,
  };
}

export function createUpdate(base: RevisionBase): PdfUpdate {
  const parts: Buffer[] = [latin1('\n')];
  const places = new Map<number, { readonly generation: number; readonly offset: number }>();
  const contents = new Map<number, number>();
  let { size } = base;
  let at = base.length + 1;

  function append(bytes: Buffer): void {
    parts.push(bytes);
    at += bytes.length;
  }

  function put(reference: PdfReference, object: PdfObject | Buffer): void {
    const { number, generation } = reference;
    places.set(number, { generation, offset: at });
    append(latin1(`${number} ${generation} obj\n`));
    contents.set(number, at);
    append(Buffer.isBuffer(object) ? object : serialize(object));
    append(latin1('\nendobj\n'));
  }

  function allocate(): PdfReference {
    const reference = pdfReference(size);
    size += 1;
    return reference;
  }

  function trailer(): PdfDictionary {
    const digest = createHash('sha256').update(`${base.length} ${at}`);
    for (const part of parts) digest.update(part);
    const changing = pdfBytes(digest.digest().subarray(0, 16));
    return pdfDictionary({
      Size: size,
      Prev: base.startXref,
      Root: base.root,
      ...(base.info === null ? {} : { Info: base.info }),
      ID: [base.fileId ?? changing, changing],
    });
  }

  function table(): void {
    const lines = ['xref\n'];
    for (const run of runs([...places.keys()])) {
      lines.push(`${run[0] ?? 0} ${run.length}\n`);
      for (const number of run) {
        const { offset, generation } = places.get(number) ?? { offset: 0, generation: 0 };
        const columns = `${String(offset).padStart(10, '0')} ${String(generation).padStart(5, '0')}`;
        lines.push(`${columns} n\r\n`);
      }
    }
    append(latin1(`${lines.join('')}trailer\n`));
    append(serialize(trailer()));
  }

  function stream(): void {
    const self = allocate();
    places.set(self.number, { generation: 0, offset: at });
    const ordered = runs([...places.keys()]);
    const rows = Buffer.alloc(places.size * 7);
    ordered.flat().forEach((number, row) => {
      const { offset, generation } = places.get(number) ?? { offset: 0, generation: 0 };
      rows.writeUInt8(1, row * 7);
      rows.writeUInt32BE(offset, row * 7 + 1);
      rows.writeUInt16BE(generation, row * 7 + 5);
    });
    const dictionary = new Map<string, PdfObject>([
      ...trailer().entries,
      ['Type', pdfName('XRef')],
      ['W', [1, 4, 2]],
      ['Index', ordered.flatMap((run) => [run[0] ?? 0, run.length])],
    ]);
    append(latin1(`${self.number} 0 obj\n`));
    append(
      serialize({
        kind: 'stream',
        dictionary: { kind: 'dictionary', entries: dictionary },
        data: rows,
      }),
    );
    append(latin1('\nendobj'));
  }

  return {
    allocate,
    put,
    add(object) {
      const reference = allocate();
      put(reference, object);
      return reference;
    },
    finish() {
      const startXref = at;
      if (base.xrefKind === 'table') table();
      else stream();
      append(latin1(`\nstartxref\n${startXref}\n%%EOF\n`));
      return {
        bytes: Buffer.concat(parts),
        offsetOf: ({ number }) => contents.get(number) ?? 0,
        next: { ...base, length: at, startXref, size },
      };
    },
  };
}

/** Groups consecutive numbers, in order. */
function runs(numbers: readonly number[]): readonly (readonly number[])[] {
  const found: number[][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = found.at(-1);
    if (run?.at(-1) === number - 1) run.push(number);
    else found.push([number]);
  }
  return found;
}
