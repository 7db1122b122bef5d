import { derSequence, derUnsigned } from './kernel/der.ts';
import { type DerReader, derReader, derTag, readDer, readInteger } from './kernel/derReader.ts';

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
