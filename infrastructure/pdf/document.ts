import { readCrossReferences } from './crossReferences.ts';
import { damaged, PdfFault } from './faults.ts';
import { createDecoder } from './filters.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  isDictionary,
  isName,
  isReference,
  isStream,
  type PdfDictionary,
  type PdfObject,
  type PdfReference,
} from './objects.ts';
import { createParser, type PdfParser, streamAt } from './parser.ts';

/**
 * A PDF opened for reading. Parsed in a memory-safe language, because the bytes come from outside: a fault in native
 * code would end the process.
 */
export interface PdfDocument {
  readonly bytes: Uint8Array;
  /** The newest trailer. */
  readonly trailer: PdfDictionary;
  /** Offset of the newest cross-reference section. */
  readonly startXref: number;
  /** Kind of that section; an update uses the same. */
  readonly xrefKind: 'table' | 'stream';
  /** One more than the highest object number. */
  readonly size: number;
  /** The later one of header and catalog, for example 1.4. */
  readonly version: number;
  readonly root: PdfReference;
  readonly catalog: PdfDictionary;
  /** The object itself, or the target of a reference; null when missing. */
  value(object: PdfObject | undefined): PdfObject;
  /** Value of an object; null unless a dictionary. */
  dictionary(object: PdfObject | undefined): PdfDictionary | null;
  /** Reads every object of the newest revision, used or not, and keeps none; undefined for one it cannot read. */
  objects(): Iterable<PdfObject | undefined>;
}

const HEADER = /^%PDF-(\d)\.(\d)/;

/**
 * Opens a PDF 1.0 to 2.0.
 *
 * @throws PdfFault NOT_A_PDF, PDF_ENCRYPTED, PDF_DAMAGED, PDF_NOT_SUPPORTED
 */
export function openPdf(bytes: Uint8Array): PdfDocument {
  const header = HEADER.exec(Buffer.from(bytes.subarray(0, 8)).toString('latin1'));
  if (header === null) throw new PdfFault('NOT_A_PDF', 'The file does not begin with %PDF-.');
  const references = readCrossReferences(bytes);
  const { entries, trailer } = references;
  if (trailer.entries.has('Encrypt')) {
    throw new PdfFault('PDF_ENCRYPTED', 'The PDF is encrypted.');
  }
  const cache = new Map<number, PdfObject>();
  const reading = new Set<number>();
  const objectStreams = new Map<number, ReadonlyMap<number, PdfObject>>();
  const decode = createDecoder();
  const inFile = boundedParser(bytes);

  function value(object: PdfObject | undefined): PdfObject {
    let found = object ?? null;
    const passed = new Set<number>();
    for (let hops = 0; isReference(found); hops += 1) {
      if (passed.has(found.number)) throw damaged('References form a circle.');
      passed.add(found.number);
      if (hops >= pdfLimits.references.most) throw beyond('references', hops + 1);
      found = indirect(found);
    }
    return found;
  }

  function indirect({ number }: PdfReference): PdfObject {
    const known = cache.get(number);
    if (known !== undefined) return known;
    const entry = entries.get(number);
    if (entry === undefined || entry.type === 'free') return null;
    if (reading.has(number)) throw damaged('An object contains itself.');
    reading.add(number);
    const object =
      entry.type === 'inFile'
        ? objectAt(entry.offset, number)
        : (objectsIn(entry.stream).get(number) ?? null);
    reading.delete(number);
    cache.set(number, object);
    return object;
  }

  function objectAt(offset: number, number: number, read = inFile): PdfObject {
    const parser = createParser(bytes, offset);
    if (parser.integer() !== number) throw damaged('The cross-reference table is wrong.');
    parser.integer();
    if (!parser.takes('obj')) throw damaged('The cross-reference table is wrong.');
    const object = read(parser);
    return isDictionary(object) && parser.takes('stream')
      ? streamAt(bytes, parser.position, object, value(object.entries.get('Length')))
      : object;
  }

  function objectsIn(number: number): ReadonlyMap<number, PdfObject> {
    const known = objectStreams.get(number) ?? membersOf(number, decode);
    objectStreams.set(number, known);
    return known;
  }

  function membersOf(number: number, decoder: typeof decode): ReadonlyMap<number, PdfObject> {
    const stream = indirect({ kind: 'reference', number, generation: 0 });
    if (!isStream(stream)) throw damaged('An object stream is missing.');
    const first = value(stream.dictionary.entries.get('First'));
    const count = value(stream.dictionary.entries.get('N'));
    if (typeof first !== 'number' || typeof count !== 'number') {
      throw damaged('An object stream is malformed.');
    }
    const data = decoder(stream, value);
    const inStream = boundedParser(data);
    const index = createParser(data, 0);
    const objects = new Map<number, PdfObject>();
    for (let item = 0; item < count; item += 1) {
      const member = index.integer();
      objects.set(member, inStream(createParser(data, first + index.integer())));
    }
    return objects;
  }

  function* objects(): Generator<PdfObject | undefined> {
    // Own limits: what was read before does not count.
    const read = boundedParser(bytes);
    const decoder = createDecoder();
    const streams = new Set<number>();
    for (const [number, entry] of entries) {
      if (entry.type === 'inFile') yield readable(() => objectAt(entry.offset, number, read));
      if (entry.type === 'inStream') streams.add(entry.stream);
    }
    for (const stream of streams) {
      const members = readable(() => membersOf(stream, decoder));
      if (members === undefined) yield undefined;
      else yield* members.values();
    }
  }

  function dictionary(object: PdfObject | undefined): PdfDictionary | null {
    const found = value(object);
    return isDictionary(found) ? found : null;
  }

  const root = trailer.entries.get('Root');
  const catalog = dictionary(root);
  if (!isReference(root) || catalog === null || dictionary(catalog.entries.get('Pages')) === null) {
    throw damaged('The PDF has no pages.');
  }
  return {
    bytes,
    trailer,
    root,
    catalog,
    value,
    dictionary,
    objects,
    startXref: references.startXref,
    xrefKind: references.kind,
    size: references.size,
    version: latestVersion(`${header[1] ?? '1'}.${header[2] ?? '4'}`, catalog),
  };
}

/**
 * Reads each object once, and none that overlap: together they are no longer than the bytes they come from. Otherwise a
 * file of some kilobytes could cause a large object to be read a million times.
 */
function boundedParser({ length }: Uint8Array): (parser: PdfParser) => PdfObject {
  let left = length;
  return (parser) => {
    if (left < 0) throw damaged('Objects overlap.');
    const start = parser.position;
    try {
      return parser.object();
    } finally {
      left -= parser.position - start;
    }
  };
}

/** Undefined for what is damaged. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PdfFault) return undefined;
    throw error;
  }
}

function latestVersion(header: string, catalog: PdfDictionary): number {
  const entry = catalog.entries.get('Version');
  const own = ['1.4', '1.5', '1.6', '1.7', '2.0'].find((version) => isName(entry ?? null, version));
  return Math.max(Number(header), Number(own ?? 0));
}
