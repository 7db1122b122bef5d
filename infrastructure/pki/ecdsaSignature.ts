/** Byte length of a coordinate of the curve. */
export type CoordinateLength = 32 | 48;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** A DER signature of up to P-384 has a body of at most 102 bytes: one length byte suffices. */
const LONGEST_BODY = 0x7f;

/**
 * Parses `SEQUENCE { r INTEGER, s INTEGER }` strictly (X.690 §10, DER): minimal lengths and integers, positive, no
 * trailing bytes. The verifier checks the range 1..n−1.
 *
 * @returns r ‖ s, fixed-length big-endian; `null` for any other encoding
 */
export function readEcdsaSignature(der: Uint8Array, length: CoordinateLength): Buffer | null {
  if (der.length < 8 || der[0] !== SEQUENCE) return null;
  const body = der[1] ?? 0;
  if (body > LONGEST_BODY || der.length !== 2 + body) return null;
  const raw = Buffer.alloc(2 * length);
  const afterR = readInteger(der, 2, raw.subarray(0, length));
  if (afterR === null) return null;
  return readInteger(der, afterR, raw.subarray(length)) === der.length ? raw : null;
}

/** Reads one positive INTEGER at `offset` into `target`, right-aligned; returns the offset after it. */
function readInteger(der: Uint8Array, offset: number, target: Buffer): number | null {
  const start = offset + 2;
  const end = start + (der[offset + 1] ?? 0);
  if (der[offset] !== INTEGER || end > der.length) return null;
  const digits = positiveDigits(der.subarray(start, end));
  if (digits === null || digits.length > target.length) return null;
  target.set(digits, target.length - digits.length);
  return end;
}

/** Big-endian digits of an INTEGER's content without the sign byte. */
function positiveDigits(content: Uint8Array): Uint8Array | null {
  const [first, second = 0] = content;
  if (first === undefined || first >= 0x80) return null;
  if (first !== 0) return content;
  // A leading zero is allowed only before a set bit; zero itself is no signature value.
  return second >= 0x80 ? content.subarray(1) : null;
}

/** Converts `r ‖ s`, as PKCS#11 returns it, to a DER sequence. */
export function writeEcdsaSignature(raw: Uint8Array): Buffer {
  const half = raw.length / 2;
  const body = Buffer.concat([
    writeInteger(raw.subarray(0, half)),
    writeInteger(raw.subarray(half)),
  ]);
  return Buffer.concat([Buffer.from([SEQUENCE, body.length]), body]);
}

function writeInteger(digits: Uint8Array): Buffer {
  let start = 0;
  while (start < digits.length - 1 && digits[start] === 0) start += 1;
  const minimal = digits.subarray(start);
  const padding = (minimal[0] ?? 0) >= 0x80 ? [0] : [];
  return Buffer.from([INTEGER, minimal.length + padding.length, ...padding, ...minimal]);
}
