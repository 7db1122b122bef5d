/** One DER element (X.690): its tag, its content, and all of its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content, as they stand in the encoding. */
  readonly raw: Buffer;
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

/** The elements lying one after another in `bytes`. @throws RangeError when they are not well-formed DER */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const element = readElementAt(bytes, offset);
    elements.push(element);
    offset += element.raw.length;
  }
  return elements;
}

/** The one element `bytes` consists of. @throws RangeError when it is not well-formed or something follows */
export function readElement(bytes: Buffer): DerElement {
  const element = readElementAt(bytes, 0);
  if (element.raw.length !== bytes.length)
    throw new RangeError('A DER element is followed by others.');
  return element;
}

/** The element beginning at `offset`. @throws RangeError when it is not well-formed */
export function readElementAt(bytes: Buffer, offset: number): DerElement {
  const tag = bytes.readUInt8(offset);
  if ((tag & 0x1f) === 0x1f) throw new RangeError('A DER tag has an unusable form.');
  const { length, start } = readLength(bytes, offset + 1);
  const end = start + length;
  if (end > bytes.length) throw new RangeError('A DER element reaches past its end.');
  return { tag, content: bytes.subarray(start, end), raw: bytes.subarray(offset, end) };
}

/** The children of `element`, which must have this tag. @throws RangeError */
export function childrenOf(
  element: DerElement | undefined,
  tag: number = derTag.sequence,
): readonly DerElement[] {
  return readElements(contentOf(element, tag));
}

/** The content of `element`, which must have this tag. @throws RangeError */
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

/** Whether a BOOLEAN is true; an absent one is false. @throws RangeError when it is not DER */
export function booleanOf(element: DerElement | undefined): boolean {
  if (element?.tag !== derTag.boolean) return false;
  const [value, ...rest] = element.content;
  if (rest.length > 0 || (value !== 0 && value !== 0xff)) {
    throw new RangeError('A DER boolean has an unusable form.');
  }
  return value === 0xff;
}

/** A time as RFC 5280 §4.1.2.5 has it: UTC, with seconds, without fractions; ms since 1970. @throws RangeError */
export function timeOf(element: DerElement | undefined): number {
  const text = element?.content.toString('latin1') ?? '';
  const isUtcTime = element?.tag === derTag.utcTime && /^\d{12}Z$/.test(text);
  if (!isUtcTime && !(element?.tag === derTag.generalizedTime && /^\d{14}Z$/.test(text))) {
    throw new RangeError('A time has an unusable form.');
  }
  const full = isUtcTime ? `${Number(text.slice(0, 2)) >= 50 ? '19' : '20'}${text}` : text;
  const part = (from: number, to: number) => Number(full.slice(from, to));
  const time = Date.UTC(
    part(0, 4),
    part(4, 6) - 1,
    ...([part(6, 8), part(8, 10), part(10, 12), part(12, 14)] as const),
  );
  // The 31st of February would have become a day in March.
  const written = new Date(time).toISOString().replace(/[-:T]|\.000/g, '');
  if (written !== full) throw new RangeError('There is no such time.');
  return time;
}

function readLength(bytes: Buffer, offset: number): { length: number; start: number } {
  const first = bytes.readUInt8(offset);
  if (first < 0x80) return { length: first, start: offset + 1 };
  const count = first & 0x7f;
  if (count < 1 || count > 4) throw new RangeError('A DER length has an unusable form.');
  const length = bytes.readUIntBE(offset + 1, count);
  if (length < 0x80 || length < 2 ** (8 * (count - 1))) {
    throw new RangeError('A DER length is not in its shortest form.');
  }
  return { length, start: offset + 1 + count };
}

/** Dotted notation of an OBJECT IDENTIFIER's content. @throws RangeError when it is cut off */
export function oidText(content: Buffer): string {
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
