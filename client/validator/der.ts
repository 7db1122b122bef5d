/**
 * A DER element (X.690): its offsets in the encoding. Bytes are sliced on demand: of a
 * certificate's hundred elements a dozen are read.
 */
export class DerElement {
  readonly tag: number;
  readonly #bytes: Buffer;
  readonly #offset: number;
  readonly #start: number;
  readonly end: number;

  constructor(bytes: Buffer, offset: number, limit: number) {
    const tag = byteAt(bytes, offset, limit);
    if ((tag & 0x1f) === 0x1f) throw new RangeError('A DER tag has an unusable form.');
    const { length, start } = readLength(bytes, offset + 1, limit);
    if (start + length > limit) throw new RangeError('A DER element reaches past its end.');
    this.tag = tag;
    this.#bytes = bytes;
    this.#offset = offset;
    this.#start = start;
    this.end = start + length;
  }

  /** Content octets. */
  get content(): Buffer {
    return this.#bytes.subarray(this.#start, this.end);
  }

  /** Encoding: tag, length and content. */
  get raw(): Buffer {
    return this.#bytes.subarray(this.#offset, this.end);
  }

  /** Child elements. @throws RangeError when the content is not well-formed DER */
  get children(): readonly DerElement[] {
    return elementsBetween(this.#bytes, this.#start, this.end);
  }
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Tag of `[number]`, constructed (EXPLICIT, or IMPLICIT of a constructed type). */
export function contextTag(number: number): number {
  return 0xa0 | number;
}

/**
 * Reads the single element of `bytes`. @throws RangeError when it is not well-formed or something
 * follows
 */
export function readElement(bytes: Buffer): DerElement {
  const element = new DerElement(bytes, 0, bytes.length);
  if (element.end !== bytes.length) throw new RangeError('A DER element is followed by others.');
  return element;
}

function elementsBetween(bytes: Buffer, start: number, end: number): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = start; offset < end;) {
    const element = new DerElement(bytes, offset, end);
    elements.push(element);
    offset = element.end;
  }
  return elements;
}

/** Children of `element`, which must have this tag. @throws RangeError */
export function childrenOf(
  element: DerElement | undefined,
  tag: number = derTag.sequence,
): readonly DerElement[] {
  if (element?.tag !== tag) throw new RangeError('Another DER element was expected.');
  return element.children;
}

/** Content of `element`, which must have this tag. @throws RangeError */
export function contentOf(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new RangeError('Another DER element was expected.');
  return element.content;
}

/** The bytes of a BIT STRING that is a whole number of bytes. @throws RangeError */
export function bitStringOf(element: DerElement | undefined): Buffer {
  const content = contentOf(element, derTag.bitString);
  if (content[0] !== 0) throw new RangeError('A bit string does not end with a byte.');
  return content.subarray(1);
}

/** Reads a BOOLEAN; absent is false. @throws RangeError when it is not DER */
export function booleanOf(element: DerElement | undefined): boolean {
  if (element?.tag !== derTag.boolean) return false;
  const [value, ...rest] = element.content;
  if (rest.length > 0 || (value !== 0 && value !== 0xff)) {
    throw new RangeError('A DER boolean has an unusable form.');
  }
  return value === 0xff;
}

/**
 * Reads a time of the form of RFC 5280 §4.1.2.5: UTC, with seconds, without fractions; ms since
 * 1970. @throws RangeError
 */
export function timeOf(element: DerElement | undefined): number {
  const digits = timeDigits(element);
  const part = (from: number, to: number) => Number(digits.slice(from, to));
  const [month, day] = [part(4, 6) - 1, part(6, 8)];
  const [hours, minutes, seconds] = [part(8, 10), part(10, 12), part(12, 14)];
  const midnight = new Date(Date.UTC(part(0, 4), month, day));
  // Rejects dates that JavaScript normalizes, such as the 31st of February.
  const dayExists = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  if (!dayExists || hours > 23 || minutes > 59 || seconds > 59) {
    throw new RangeError('There is no such time.');
  }
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** YYYYMMDDhhmmss. */
function timeDigits(element: DerElement | undefined): string {
  const text = element?.content.toString('latin1') ?? '';
  if (element?.tag === derTag.generalizedTime && /^\d{14}Z$/.test(text)) return text;
  if (element?.tag === derTag.utcTime && /^\d{12}Z$/.test(text)) {
    return `${text >= '50' ? '19' : '20'}${text}`;
  }
  throw new RangeError('A time has an unusable form.');
}

function byteAt(bytes: Buffer, offset: number, limit: number): number {
  const byte = offset < limit ? bytes[offset] : undefined;
  if (byte === undefined) throw new RangeError('A DER element is cut off.');
  return byte;
}

function readLength(
  bytes: Buffer,
  offset: number,
  limit: number,
): { readonly length: number; readonly start: number } {
  const first = byteAt(bytes, offset, limit);
  if (first < 0x80) return { length: first, start: offset + 1 };
  const count = first & 0x7f;
  if (count < 1 || count > 4) throw new RangeError('A DER length has an unusable form.');
  let length = 0;
  for (let at = offset + 1; at <= offset + count; at += 1) {
    length = length * 256 + byteAt(bytes, at, limit);
  }
  if (length < 0x80 || length < 2 ** (8 * (count - 1))) {
    throw new RangeError('A DER length is not in its shortest form.');
  }
  return { length, start: offset + 1 + count };
}

/** Cache of identifiers: certificates of one service share all of theirs. */
const knownOids = new Map<string, string>();
const MAX_KNOWN_OIDS = 500;

/** Dotted notation of an OBJECT IDENTIFIER's content. @throws RangeError when it is cut off */
export function oidText(content: Buffer): string {
  const key = content.toString('latin1');
  const known = knownOids.get(key);
  if (known !== undefined) return known;
  const text = decodeOid(content);
  if (knownOids.size < MAX_KNOWN_OIDS) knownOids.set(key, text);
  return text;
}

function decodeOid(content: Buffer): string {
  let text = '';
  let arc = 0;
  let from = 0;
  for (let index = 0; index < content.length; index += 1) {
    const byte = content[index] ?? 0;
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    const exact = arc <= Number.MAX_SAFE_INTEGER ? arc : longArc(content.subarray(from, index + 1));
    text = text === '' ? rootArcs(exact) : `${text}.${exact}`;
    arc = 0;
    from = index + 1;
  }
  if (from !== content.length || text === '')
    throw new RangeError('An object identifier is cut off.');
  return text;
}

/** Arcs below 2.25 are UUIDs: 128 bits. */
function longArc(bytes: Buffer): bigint {
  return bytes.reduce((arc, byte) => (arc << 7n) | BigInt(byte & 0x7f), 0n);
}

function rootArcs(first: number | bigint): string {
  if (first >= 80) return `2.${BigInt(first) - 80n}`;
  return `${Math.floor(Number(first) / 40)}.${Number(first) % 40}`;
}

/** Encodes an element: tag, shortest length, content. */
export function derValue(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const length: number[] = [];
  for (let rest = body.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
  const header = body.length < 0x80 ? [body.length] : [0x80 | length.length, ...length];
  return Buffer.concat([Buffer.from([tag, ...header]), body]);
}
