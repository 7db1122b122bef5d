/** A constructed value, not yet written. */
interface Constructed {
  readonly tag: number;
  readonly parts: readonly DerPart[];
  /** Of the content, bytes. */
  readonly contentLength: number;
  /** With tag and length, bytes. */
  readonly length: number;
}

/** Encoded DER, or a constructed value. */
export type DerPart = Uint8Array | Constructed;

/**
 * A constructed value of that tag around `parts`, written by {@link derWhole}: copies once what the nested writers of
 * `der.ts` copy once a level. For values encoded thousands of times a second.
 */
export function derAround(tag: number, ...parts: readonly DerPart[]): DerPart {
  let contentLength = 0;
  for (const { length } of parts) contentLength += length;
  return { tag, parts, contentLength, length: 1 + lengthSize(contentLength) + contentLength };
}

/** Writes the complete value at once. */
export function derWhole(part: DerPart): Buffer {
  const whole = Buffer.allocUnsafe(part.length);
  write(part, whole, 0);
  return whole;
}

function write(part: DerPart, target: Buffer, offset: number): number {
  if (part instanceof Uint8Array) {
    target.set(part, offset);
    return offset + part.length;
  }
  target[offset] = part.tag;
  let next = writeLength(part.contentLength, target, offset + 1);
  for (const inner of part.parts) next = write(inner, target, next);
  return next;
}

function lengthSize(length: number): number {
  if (length < 0x80) return 1;
  if (length < 0x100) return 2;
  return length < 0x10000 ? 3 : 4;
}

function writeLength(length: number, target: Buffer, offset: number): number {
  const size = lengthSize(length);
  if (size === 1) return target.writeUInt8(length, offset);
  target.writeUInt8(0x80 | (size - 1), offset);
  return target.writeUIntBE(length, offset + 1, size - 1);
}
