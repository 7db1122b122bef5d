import type { RevokedCertificate } from '../../application/certificate/ports/revocationLists.ts';

// Encodes without allocating a buffer per entry: a list may hold a million of them.

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/** Extensions with the one extension reasonCode, up to the value of its ENUMERATED (RFC 5280 §5.3.1). */
const reasonPrefix = [...Buffer.from('300c300a0603551d1504030a01', 'hex')];

/** Longest entry, bytes: a serial number of 20 bytes, GeneralizedTime, a reason. */
export const MAX_ENTRY_BYTES = 2 + 23 + 17 + 14;

/**
 * Writes one element of revokedCertificates (RFC 5280 §5.1): serial, date, reason unless unspecified.
 *
 * @returns the offset after it
 * @throws RangeError when the serial number is not hexadecimal text of at most 20 bytes
 */
export function writeEntry(target: Buffer, offset: number, entry: RevokedCertificate): number {
  let end = writeSerial(target, offset + 2, entry.serial);
  end = writeTime(target, end, entry.revokedAt);
  if (entry.reason !== 0) {
    for (const byte of reasonPrefix) {
      target[end] = byte;
      end += 1;
    }
    target[end] = entry.reason;
    end += 1;
  }
  target[offset] = SEQUENCE;
  target[offset + 1] = end - offset - 2;
  return end;
}

function writeSerial(target: Buffer, offset: number, serial: string): number {
  let start = offset + 2;
  const first = Number.parseInt(serial.slice(0, 2), 16);
  // Keeps the INTEGER positive: a set first bit needs a leading zero byte.
  if (first >= 0x80) {
    target[start] = 0;
    start += 1;
  }
  const length = serial.length / 2;
  const isPlausible = first > 0 && length <= 20;
  if (!isPlausible || target.write(serial, start, 'hex') !== length) {
    throw new RangeError('The serial number is not hexadecimal text of at most 20 bytes.');
  }
  target[offset] = INTEGER;
  target[offset + 1] = start - offset - 2 + length;
  return start + length;
}

/** Offsets of the digits in YYYY-MM-DDTHH:MM:SS. */
const digitOffsets = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18] as const;

/** RFC 5280 §5.1.2.6: UTCTime through 2049, GeneralizedTime from 2050; `time` is an ISO string. */
function writeTime(target: Buffer, offset: number, time: string): number {
  const isUtcTime = time < '2050';
  target[offset] = isUtcTime ? UTC_TIME : GENERALIZED_TIME;
  let end = offset + 2;
  for (let place = isUtcTime ? 2 : 0; place < digitOffsets.length; place += 1) {
    target[end] = time.charCodeAt(digitOffsets[place] ?? 0);
    end += 1;
  }
  target[end] = 0x5a;
  end += 1;
  target[offset + 1] = end - offset - 2;
  return end;
}
