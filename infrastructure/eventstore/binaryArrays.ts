/**
 * Array parameters in PostgreSQL's binary format, which `pg` sends unchanged when given a Buffer: no quoting, no
 * parsing. Layout: dimensions, null flag, element type, length, lower bound, then each element with its byte length.
 */
const OID = { int4: 23, int8: 20, text: 25, uuid: 2950 } as const;
const HEADER_BYTES = 20;

export function int4Array(values: readonly number[]): Buffer {
  const buffer = fixedArray(OID.int4, values.length, 4);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = buffer.writeInt32BE(4, at);
    at = buffer.writeInt32BE(value, at);
  }
  return buffer;
}

export function int8Array(values: readonly bigint[]): Buffer {
  const buffer = fixedArray(OID.int8, values.length, 8);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = buffer.writeInt32BE(8, at);
    at = buffer.writeBigInt64BE(value, at);
  }
  return buffer;
}

/** @param values UUIDs in the usual text form */
export function uuidArray(values: readonly string[]): Buffer {
  const buffer = fixedArray(OID.uuid, values.length, 16);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = buffer.writeInt32BE(16, at);
    at += buffer.write(value.replaceAll('-', ''), at, 16, 'hex');
  }
  return buffer;
}

export function textArray(values: readonly string[]): Buffer {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so the text need not be measured first.
  let most = HEADER_BYTES;
  for (const value of values) most += 4 + value.length * 3;
  const buffer = Buffer.allocUnsafe(most);
  writeHeader(buffer, OID.text, values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    const bytes = buffer.write(value, at + 4, 'utf8');
    buffer.writeInt32BE(bytes, at);
    at += 4 + bytes;
  }
  return buffer.subarray(0, at);
}

function fixedArray(type: number, length: number, elementBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + length * (4 + elementBytes));
  writeHeader(buffer, type, length);
  return buffer;
}

function writeHeader(buffer: Buffer, type: number, length: number): void {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(0, 4);
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
}
