import { type DerReader, derReader, derTag, readDer, readInteger } from './derReader.ts';

// Writer of the few DER types (X.690) that vary from certificate to certificate. The constant parts of a profile are
// encoded once by @peculiar/asn1-x509, and the lint reads the result back with that library.

const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  octetString: 0x04,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Tag, minimal length, content. */
export function derValue(tagByte: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([derHeader(tagByte, length), ...content]);
}

/** Tag and minimal length of a value whose content has `length` bytes. */
export function derHeader(tagByte: number, length: number): Buffer {
  return Buffer.from([tagByte, ...lengthBytes(length)]);
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export function derSequence(...items: readonly Uint8Array[]): Buffer {
  return derValue(tag.sequence, ...items);
}

/** A SET OF: its elements in the order of their encodings (X.690 §11.6). */
export function derSet(...items: readonly Uint8Array[]): Buffer {
  return derValue(tag.set, ...[...items].sort(Buffer.compare));
}

/** `[number] EXPLICIT`. */
export function derExplicit(number: number, item: Uint8Array): Buffer {
  return derValue(0xa0 | number, item);
}

/** `[number] IMPLICIT` over a primitive type. */
export function derPrimitive(number: number, content: Uint8Array): Buffer {
  return derValue(0x80 | number, content);
}

/** A non-negative INTEGER from big-endian bytes of any length. */
export function derUnsigned(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const minimal = bytes.subarray(start);
  const padding = (minimal[0] ?? 0) >= 0x80 ? Buffer.alloc(1) : Buffer.alloc(0);
  return derValue(tag.integer, padding, minimal);
}

export function derOid(dotted: string): Buffer {
  const [first = 0n, second = 0n, ...rest] = dotted.split('.').map(BigInt);
  return derValue(tag.oid, ...[first * 40n + second, ...rest].map(base128));
}

function base128(arc: bigint): Buffer {
  const bytes = [Number(arc & 0x7fn)];
  for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) bytes.unshift(0x80 | Number(rest & 0x7fn));
  return Buffer.from(bytes);
}

export function derUtf8(text: string): Buffer {
  return derValue(tag.utf8String, Buffer.from(text, 'utf8'));
}

export function derPrintable(text: string): Buffer {
  return derValue(tag.printableString, Buffer.from(text, 'ascii'));
}

/** A BIT STRING of whole bytes. */
export function derBitString(bytes: Uint8Array): Buffer {
  return derValue(tag.bitString, Buffer.alloc(1), bytes);
}

/** A BIT STRING of named bits below 8, without trailing zero bits (X.690 §11.2.2). */
export function derNamedBits(bits: readonly number[]): Buffer {
  const byte = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0);
  return derValue(tag.bitString, Buffer.from([7 - Math.max(...bits), byte]));
}

export function derOctetString(bytes: Uint8Array): Buffer {
  return derValue(tag.octetString, bytes);
}

/** TRUE; FALSE is the default wherever it occurs, and so omitted. */
export const derTrue = derValue(tag.boolean, Buffer.from([0xff]));

export const derNull = derValue(tag.null);

/** One Extension (RFC 5280 §4.1); `critical` is omitted when FALSE, its default. */
export function derExtension(id: string, value: Uint8Array, critical = false): Buffer {
  return derSequence(derOid(id), ...(critical ? [derTrue] : []), derOctetString(value));
}

/** GeneralizedTime to the millisecond, without trailing zeros (X.690 §11.7). */
export function derGeneralizedTime(time: Date): Buffer {
  const [seconds = '', fraction = ''] = time
    .toISOString()
    .replaceAll(/[-T:Z]/g, '')
    .split('.');
  const rest = fraction.replace(/0+$/, '');
  const text = `${seconds}${rest === '' ? '' : `.${rest}`}Z`;
  return derValue(tag.generalizedTime, Buffer.from(text, 'ascii'));
}

/** RFC 5280 §4.1.2.5: UTCTime through 2049, GeneralizedTime from 2050; truncated to seconds. */
export function derTime(time: Date): Buffer {
  const digits = time.toISOString().slice(0, 19).replaceAll(/[-T:]/g, '');
  return time.getUTCFullYear() < 2050
    ? derValue(tag.utcTime, Buffer.from(`${digits.slice(2)}Z`, 'ascii'))
    : derValue(tag.generalizedTime, Buffer.from(`${digits}Z`, 'ascii'));
}

/** Byte length of a coordinate of the curve. */
export type CoordinateLength = 32 | 48;

/**
 * Parses `SEQUENCE { r INTEGER, s INTEGER }` strictly (X.690 §10, DER): minimal lengths and integers, positive, no
 * trailing bytes. The verifier checks the range 1..n−1.
 *
 * @returns r ‖ s, fixed-length big-endian; `null` for any other encoding
 */
export function readEcdsaSignature(der: Uint8Array, length: CoordinateLength): Buffer | null {
  const raw = Buffer.alloc(2 * length);
  try {
    const numbers = derReader(readDer(der, derTag.sequence).content);
    const isRight = [raw.subarray(0, length), raw.subarray(length)].every((target) =>
      isPositiveInto(target, numbers),
    );
    return isRight && numbers.atEnd ? raw : null;
  } catch {
    return null;
  }
}

/** Reads one INTEGER into `target`, right-aligned; false unless it is positive and fits. @throws MalformedDer */
function isPositiveInto(target: Buffer, numbers: DerReader): boolean {
  const content = readInteger(numbers.element(derTag.integer));
  const [first = 0] = content;
  const digits = first === 0 ? content.subarray(1) : content;
  if (first >= 0x80 || digits.length === 0 || digits.length > target.length) return false;
  target.set(digits, target.length - digits.length);
  return true;
}

/** Converts `r ‖ s`, as PKCS#11 returns it, to a DER sequence. */
export function writeEcdsaSignature(raw: Uint8Array): Buffer {
  const half = raw.length / 2;
  return derSequence(derUnsigned(raw.subarray(0, half)), derUnsigned(raw.subarray(half)));
}

/** Converts a P-256 signature of the key vault to the JWS format (RFC 7518 §3.4). @throws Error unless `der` is one */
export function ecdsaToRaw(der: Uint8Array): Buffer {
  const raw = readEcdsaSignature(der, 32);
  if (raw === null) throw new Error('The signature is no ECDSA-Sig-Value of P-256.');
  return raw;
}
