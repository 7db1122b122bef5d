import { damaged } from './faults.ts';
import { createDecoder } from './filters.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  isArray,
  isDictionary,
  isName,
  type PdfDictionary,
  type PdfObject,
  type PdfStream,
} from './objects.ts';
import { createParser, streamAt } from './parser.ts';

/** Location of an object. */
export type CrossReference =
  | { readonly type: 'free' }
  | { readonly type: 'inFile'; readonly offset: number }
  | { readonly type: 'inStream'; readonly stream: number };

export interface CrossReferences {
  /** Newest location by object number. */
  readonly entries: ReadonlyMap<number, CrossReference>;
  /** The newest section's. */
  readonly trailer: PdfDictionary;
  readonly startXref: number;
  readonly kind: 'table' | 'stream';
  /** One more than the highest object number. */
  readonly size: number;
}

/** Entries read so far, and the remaining budget. */
interface Reading {
  readonly bytes: Uint8Array;
  readonly entries: Map<number, CrossReference>;
  readonly decode: ReturnType<typeof createDecoder>;
  rows: number;
}

interface Section {
  readonly kind: 'table' | 'stream';
  readonly trailer: PdfDictionary;
}

/**
 * Reads all cross-reference sections (ISO 32000-2 §7.5.4, §7.5.8), tables, streams and hybrids, newest first.
 *
 * @throws PdfFault PDF_DAMAGED for a missing end-of-file marker, or a section at a wrong offset
 */
export function readCrossReferences(bytes: Uint8Array): CrossReferences {
  const entries = new Map<number, CrossReference>();
  const reading: Reading = { bytes, entries, decode: createDecoder(), rows: 0 };
  const startXref = findStart(bytes);
  const seen = new Set<number>();
  const visit = (offset: number) => {
    seen.add(offset);
    if (seen.size > pdfLimits.sections.most) throw beyond('sections', seen.size);
  };
  const newest = readSection(reading, startXref);
  let size = declaredSize(newest.trailer);
  let section = newest;
  visit(startXref);
  for (;;) {
    const hybrid = section.trailer.entries.get('XRefStm');
    if (typeof hybrid === 'number' && !seen.has(hybrid)) {
      visit(hybrid);
      readSection(reading, hybrid);
    }
    const previous = section.trailer.entries.get('Prev');
    if (typeof previous !== 'number') break;
    if (seen.has(previous)) throw damaged('The cross-reference sections form a circle.');
    visit(previous);
    section = readSection(reading, previous);
    size = Math.max(size, declaredSize(section.trailer));
  }
  for (const number of entries.keys()) size = Math.max(size, number + 1);
  return { entries, trailer: newest.trailer, startXref, kind: newest.kind, size };
}

function declaredSize(trailer: PdfDictionary): number {
  const size = trailer.entries.get('Size');
  // One more than the highest object number (§7.5.5).
  return typeof size === 'number' && size - 1 <= pdfLimits.objects.most ? size : 0;
}

/** @throws PdfFault when a subsection goes beyond the highest object number accepted */
function expectObjects(first: number, count: number): void {
  const highest = first + count - 1;
  if (highest > pdfLimits.objects.most) throw beyond('objects', highest);
}

/** Bytes between `startxref` and the end-of-file marker. */
const START_BYTES = 1024;

function findStart(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = buffer.lastIndexOf('%%EOF');
  const { most } = pdfLimits.trailingBytes;
  const trailing = end < 0 ? '' : buffer.toString('latin1', end + 5, end + 5 + most);
  if (end < 0 || /\bobj\b|\bxref\b/.test(trailing)) {
    throw damaged('The PDF has no end: it was cut off.');
  }
  const behind = buffer.length - (end + 5);
  if (behind > most) throw beyond('trailingBytes', behind);
  const keyword = buffer.lastIndexOf('startxref', end);
  if (keyword < 0 || end - keyword > START_BYTES) throw damaged('The PDF has no startxref.');
  return createParser(bytes, keyword + 'startxref'.length).integer();
}

function readSection(reading: Reading, offset: number): Section {
  const { bytes } = reading;
  if (offset >= bytes.length) throw damaged('A cross-reference section is missing.');
  const parser = createParser(bytes, offset);
  if (parser.takes('xref')) return readTable(reading, parser.position);
  parser.integer();
  parser.integer();
  if (!parser.takes('obj')) throw damaged('A cross-reference section is missing.');
  const dictionary = parser.object();
  if (!isDictionary(dictionary) || !isName(dictionary.entries.get('Type'), 'XRef')) {
    throw damaged('A cross-reference section is missing.');
  }
  if (!parser.takes('stream')) throw damaged('A cross-reference stream is cut off.');
  readStream(
    reading,
    streamAt(bytes, parser.position, dictionary, dictionary.entries.get('Length')),
  );
  return { kind: 'stream', trailer: dictionary };
}

function readTable(reading: Reading, position: number): Section {
  const parser = createParser(reading.bytes, position);
  while (!parser.takes('trailer')) {
    const first = parser.integer();
    const count = parser.integer();
    expectObjects(first, count);
    for (let number = first; number < first + count; number += 1) {
      const offset = parser.integer();
      parser.integer();
      const inUse = parser.takes('n');
      if (!inUse && !parser.takes('f')) throw damaged('The cross-reference table is malformed.');
      enter(reading, number, () => (inUse ? { type: 'inFile', offset } : free));
    }
  }
  const trailer = parser.object();
  if (!isDictionary(trailer)) throw damaged('The trailer is malformed.');
  return { kind: 'table', trailer };
}

const free = { type: 'free' } as const;

/** Adds an entry, unless a newer section has the object. */
function enter(reading: Reading, number: number, read: () => CrossReference): void {
  const { entries } = reading;
  reading.rows += 1;
  if (reading.rows > pdfLimits.entries.most) throw beyond('entries', reading.rows);
  if (!entries.has(number)) entries.set(number, read());
}

function readStream(reading: Reading, stream: PdfStream): void {
  const { dictionary } = stream;
  const data = reading.decode(stream, (object) => object ?? null);
  const widths = numbers(dictionary.entries.get('W'));
  const width = widths.reduce((sum, each) => sum + each, 0);
  if (widths.length < 3 || width === 0 || width > 24) {
    throw damaged('A cross-reference stream is malformed.');
  }
  const index = dictionary.entries.has('Index')
    ? numbers(dictionary.entries.get('Index'))
    : [0, declaredSize(dictionary)];
  let at = 0;
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    const [first = 0, count = 0] = index.slice(pair, pair + 2);
    expectObjects(first, count);
    for (let number = first; number < first + count && at + width <= data.length; number += 1) {
      const row = at;
      enter(reading, number, () => entryAt(data, row, widths));
      at += width;
    }
  }
}

/** Type and second field of an entry; the default type is 1 (ISO 32000-2 table 17). */
function entryAt(data: Uint8Array, at: number, widths: readonly number[]): CrossReference {
  const [typeWidth = 0, secondWidth = 0] = widths;
  const type = typeWidth === 0 ? 1 : bigEndian(data, at, typeWidth);
  const second = bigEndian(data, at + typeWidth, secondWidth);
  if (type === 1) return { type: 'inFile', offset: second };
  return type === 2 ? { type: 'inStream', stream: second } : free;
}

function numbers(object: PdfObject | undefined): readonly number[] {
  if (!isArray(object)) return [];
  return object.map((item) => {
    if (typeof item !== 'number' || item < 0) {
      throw damaged('A cross-reference stream is malformed.');
    }
    return item;
  });
}

function bigEndian(data: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let index = 0; index < width; index += 1) value = value * 256 + (data[at + index] ?? 0);
  return value;
}
