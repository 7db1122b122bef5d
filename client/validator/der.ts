/** One DER element (X.690): its tag and where its content lies. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  extensions: 0xa3,
} as const;

/** The elements lying one after another in `bytes`. @throws RangeError when they are not well-formed DER */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const tag = bytes.readUInt8(offset);
    const { length, start } = readLength(bytes, offset + 1);
    const end = start + length;
    if (end > bytes.length) throw new RangeError('A DER element reaches past its end.');
    elements.push({ tag, content: bytes.subarray(start, end) });
    offset = end;
  }
  return elements;
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
  // Arcs below 2.25 are UUIDs: 128 bits.
  const arcs: bigint[] = [];
  let arc = 0n;
  let open = true;
  for (const byte of content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    open = byte >= 0x80;
    if (open) continue;
    if (arcs.length === 0) {
      const root = arc < 80n ? arc / 40n : 2n;
      arcs.push(root, arc - root * 40n);
    } else {
      arcs.push(arc);
    }
    arc = 0n;
  }
  if (open) throw new RangeError('An object identifier is cut off.');
  return arcs.join('.');
}
