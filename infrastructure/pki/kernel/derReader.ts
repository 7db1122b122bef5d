/** Bytes that are not the expected DER. The message does not quote them; relying parties know it as a RangeError. */
export class MalformedDer extends RangeError {}

/** One value: its tag byte, its content, and all its original bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly bytes: Buffer;
  /** Values in the content. @throws MalformedDer */
  readonly children: readonly DerElement[];
}

/** Reads values one after the other. @throws MalformedDer from every method */
export interface DerReader {
  readonly atEnd: boolean;
  /** The next value, of the given tag if any. */
  element(tag?: number): DerElement;
  /** The next value if it has that tag; otherwise null, and nothing is consumed. */
  optional(tag: number): DerElement | null;
  /** A reader over the content of the next value. */
  enter(tag: number): DerReader;
  /** Requires the end of the content. */
  end(): void;
}

/** Tag bytes of universal types (X.690 §8). */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[number]`, primitive. */
  primitive: (number: number) => 0x80 | number,
  /** `[number]`, constructed: EXPLICIT, or IMPLICIT over a constructed type. */
  constructed: (number: number) => 0xa0 | number,
} as const;

/** A strict reader of DER: definite minimal lengths, tags below 31. */
export function derReader(bytes: Uint8Array): DerReader {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Reader(buffer, 0, buffer.length);
}

/**
 * A class, unlike the rest of the code base, because OCSP reads thousands of requests a second: elements are sliced on
 * demand.
 */
class Reader implements DerReader {
  readonly #buffer: Buffer;
  readonly #end: number;
  #offset: number;

  constructor(buffer: Buffer, offset: number, end: number) {
    this.#buffer = buffer;
    this.#offset = offset;
    this.#end = end;
  }

  get atEnd(): boolean {
    return this.#offset === this.#end;
  }

  element(tag?: number): DerElement {
    const { start, end } = this.#next(tag);
    const read = new Element(this.#buffer, this.#offset, start, end);
    this.#offset = end;
    return read;
  }

  optional(tag: number): DerElement | null {
    return !this.atEnd && this.#buffer[this.#offset] === tag ? this.element(tag) : null;
  }

  enter(tag: number): DerReader {
    const { start, end } = this.#next(tag);
    this.#offset = end;
    return new Reader(this.#buffer, start, end);
  }

  end(): void {
    if (!this.atEnd) throw new MalformedDer('A DER element is followed by others.');
  }

  /** Start and end of the next value's content. */
  #next(tag?: number): { readonly start: number; readonly end: number } {
    if (this.atEnd) throw new MalformedDer('A DER element is cut off.');
    const found = this.#buffer[this.#offset] ?? 0;
    if (tag !== undefined && found !== tag)
      throw new MalformedDer('Another DER element was expected.');
    if ((found & 0x1f) === 0x1f) throw new MalformedDer('A DER tag has an unusable form.');
    const lengthAt = this.#offset + 1;
    if (lengthAt >= this.#end) throw new MalformedDer('A DER element is cut off.');
    const first = this.#buffer[lengthAt] ?? 0;
    const count = first < 0x80 ? 0 : first & 0x7f;
    const start = lengthAt + 1 + count;
    const length = count === 0 && first < 0x80 ? first : this.#longLength(lengthAt + 1, start);
    if (start + length > this.#end) throw new MalformedDer('A DER element reaches past its end.');
    return { start, end: start + length };
  }

  #longLength(from: number, to: number): number {
    const count = to - from;
    if (count === 0 || count > 4) throw new MalformedDer('A DER length has an unusable form.');
    if (to > this.#end) throw new MalformedDer('A DER element is cut off.');
    const length = this.#buffer.readUIntBE(from, count);
    if (length < 0x80 || length < 256 ** (count - 1)) {
      throw new MalformedDer('A DER length is not in its shortest form.');
    }
    return length;
  }
}

class Element implements DerElement {
  readonly #buffer: Buffer;
  readonly #from: number;
  readonly #start: number;
  readonly #end: number;

  constructor(buffer: Buffer, from: number, start: number, end: number) {
    this.#buffer = buffer;
    this.#from = from;
    this.#start = start;
    this.#end = end;
  }

  get tag(): number {
    return this.#buffer[this.#from] ?? 0;
  }

  get content(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#from, this.#end);
  }

  get children(): readonly DerElement[] {
    const reader = new Reader(this.#buffer, this.#start, this.#end);
    const children: DerElement[] = [];
    while (!reader.atEnd) children.push(reader.element());
    return children;
  }
}

/** The only value in `bytes`, of the given tag if any. @throws MalformedDer */
export function readDer(bytes: Uint8Array, tag?: number): DerElement {
  const reader = derReader(bytes);
  const element = reader.element(tag);
  reader.end();
  return element;
}

/** Children of `element`, which must have this tag. @throws MalformedDer */
export function childrenOf(
  element: DerElement | undefined,
  tag: number = derTag.sequence,
): readonly DerElement[] {
  return expected(element, tag).children;
}

/** Content of `element`, which must have this tag. @throws MalformedDer */
export function contentOf(element: DerElement | undefined, tag: number): Buffer {
  return expected(element, tag).content;
}

function expected(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw new MalformedDer('Another DER element was expected.');
  return element;
}

/** The bytes of a BIT STRING that is a whole number of bytes. @throws MalformedDer */
export function readBitString(element: DerElement | undefined): Buffer {
  const content = contentOf(element, derTag.bitString);
  if (content[0] !== 0) throw new MalformedDer('A bit string does not end with a byte.');
  return content.subarray(1);
}

/** Longest object identifier accepted, bytes: reading takes time quadratic in its length. */
const LONGEST_OID = 128;
/** Cache of identifiers: certificates of one service share all of theirs. */
const knownOids = new Map<string, string>();
const MAX_KNOWN_OIDS = 500;

/** A dotted object identifier. @throws MalformedDer */
export function readOid(element: DerElement | undefined): string {
  const content = contentOf(element, derTag.oid);
  const key = content.toString('latin1');
  const known = knownOids.get(key);
  if (known !== undefined) return known;
  const text = decodeOid(content);
  if (knownOids.size < MAX_KNOWN_OIDS) knownOids.set(key, text);
  return text;
}

function decodeOid(content: Buffer): string {
  if (content.length > LONGEST_OID) throw new MalformedDer('An object identifier is too long.');
  const arcs: bigint[] = [];
  let arc = 0n;
  let begun = false;
  for (const byte of content) {
    if (!begun && byte === 0x80) throw new MalformedDer('An arc is not minimal.');
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    begun = (byte & 0x80) !== 0;
    if (begun) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [joined, ...rest] = arcs;
  if (joined === undefined || begun) throw new MalformedDer('An object identifier is cut off.');
  const first = joined < 80n ? joined / 40n : 2n;
  return [first, joined - first * 40n, ...rest].join('.');
}

/** The bytes of a minimally encoded INTEGER. @throws MalformedDer */
export function readInteger({ content }: DerElement): Buffer {
  const [first, second = 0] = content;
  if (first === undefined) throw new MalformedDer('An integer is empty.');
  const isPadded =
    content.length > 1 && ((first === 0x00 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (isPadded) throw new MalformedDer('An integer is not minimal.');
  return content;
}

/** A non-negative INTEGER of at most six bytes. @throws MalformedDer */
export function readSmallInteger(element: DerElement): number {
  const content = readInteger(element);
  if (content.length > 6 || (content[0] ?? 0) >= 0x80) {
    throw new MalformedDer('An integer is out of range.');
  }
  return content.readUIntBE(0, content.length);
}

/** @throws MalformedDer */
export function readBoolean({ content }: DerElement): boolean {
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) {
    throw new MalformedDer('A DER boolean has an unusable form.');
  }
  return content[0] === 0xff;
}

const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d*[1-9])?Z$/;

/** GeneralizedTime in DER: UTC, seconds, a fraction without trailing zeros. @throws MalformedDer */
export function readGeneralizedTime({ content }: Pick<DerElement, 'content'>): Date {
  const match = GENERALIZED_TIME.exec(content.toString('latin1'));
  if (match === null) throw new MalformedDer('A time has an unusable form.');
  const [, year = '', month = '', day = '', hours = '', minutes = '', seconds = '', rest = ''] =
    match;
  const fraction = rest.slice(0, 4);
  const time = new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}${fraction}Z`);
  // A `Date` goes on to the next month after its last day, and to the next day at 24:00.
  if (time.getUTCDate() !== Number(day)) throw new MalformedDer('There is no such time.');
  return time;
}

/** Digits of UTCTime and GeneralizedTime; `Z` follows. */
const UTC_DIGITS = 12;
const GENERALIZED_DIGITS = 14;
const ZULU = 0x5a;

/**
 * A Time (RFC 5280 §4.1.2.5), without fractions: GeneralizedTime, or UTCTime of 1950 to 2049. Reads digits, not text: a
 * revocation list may have a million times.
 *
 * @throws MalformedDer
 */
export function readTime(element: DerElement | undefined): Date {
  if (element?.tag !== derTag.utcTime && element?.tag !== derTag.generalizedTime) {
    throw new MalformedDer('A time has an unusable form.');
  }
  const { tag, content } = element;
  const isUtc = tag === derTag.utcTime;
  const length = isUtc ? UTC_DIGITS : GENERALIZED_DIGITS;
  if (content.length !== length + 1 || content[length] !== ZULU) {
    throw new MalformedDer('A time has an unusable form.');
  }
  const first = twoDigits(content, 0);
  if (!isUtc) return timeOf(100 * first + twoDigits(content, 2), content, 4);
  return timeOf(first + (first >= 50 ? 1900 : 2000), content, 2);
}

/** @param at offset of the month; day, hour, minute and second follow @throws MalformedDer */
function timeOf(year: number, digits: Buffer, at: number): Date {
  const month = twoDigits(digits, at);
  const day = twoDigits(digits, at + 2);
  const hour = twoDigits(digits, at + 4);
  const minute = twoDigits(digits, at + 6);
  const second = twoDigits(digits, at + 8);
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  // A `Date` goes on to the next month after its last day, and to the next hour at 60 minutes.
  const isReal = time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  if (!isReal || hour > 23 || minute > 59 || second > 59) {
    throw new MalformedDer('There is no such time.');
  }
  time.setUTCHours(hour, minute, second);
  return time;
}

/** @throws MalformedDer */
function twoDigits(content: Buffer, at: number): number {
  const tens = (content[at] ?? 0) - 0x30;
  const ones = (content[at + 1] ?? 0) - 0x30;
  if (tens < 0 || tens > 9 || ones < 0 || ones > 9) {
    throw new MalformedDer('A time has an unusable form.');
  }
  return 10 * tens + ones;
}
