import { MalformedDer } from '../pki/kernel/derReader.ts';

/** A BER-TLV data object of a chip's file (ISO/IEC 7816-4 §5.2.2). */
export interface DataObject {
  /** One byte or two: `0x61`, `0x5f1f`. */
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * Parses the sequence of data objects in `bytes`, without descending into them.
 *
 * @throws MalformedDer
 */
export function readDataObjects(bytes: Buffer): readonly DataObject[] {
  const objects: DataObject[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const { tag, start, end } = header(bytes, offset);
    if (end > bytes.length) throw new MalformedDer('A data object is cut off.');
    objects.push({ tag, content: bytes.subarray(start, end) });
    offset = end;
  }
  return objects;
}

/** Content of the only data object in `bytes`. @throws MalformedDer for another tag, or trailing bytes */
export function readTemplate(bytes: Buffer, tag: number): Buffer {
  const [object, ...others] = readDataObjects(bytes);
  if (object?.tag !== tag || others.length > 0)
    throw new MalformedDer('The file is of another kind.');
  return object.content;
}

function header(bytes: Buffer, offset: number) {
  const first = byteAt(bytes, offset);
  const isLong = (first & 0x1f) === 0x1f;
  const tag = isLong ? first * 256 + byteAt(bytes, offset + 1) : first;
  const lengthAt = offset + (isLong ? 2 : 1);
  const length = byteAt(bytes, lengthAt);
  if (length < 0x80) return { tag, start: lengthAt + 1, end: lengthAt + 1 + length };
  const count = length & 0x7f;
  const start = lengthAt + 1 + count;
  if (count === 0 || count > 3 || start > bytes.length) {
    throw new MalformedDer('A length is indefinite or too long.');
  }
  return { tag, start, end: start + bytes.readUIntBE(lengthAt + 1, count) };
}

function byteAt(bytes: Buffer, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new MalformedDer('A data object is cut off.');
  return byte;
}
