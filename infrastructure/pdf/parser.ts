import { damaged } from './faults.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  type PdfDictionary,
  type PdfObject,
  type PdfStream,
  pdfBytes,
  pdfName,
  pdfReference,
} from './objects.ts';

const SPACE = 1;
const DELIMITER = 2;

/** Character class of each byte (§7.2.3). */
const classes = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) classes[byte] = SPACE;
for (const byte of Buffer.from('()<>[]{}/%', 'latin1')) classes[byte] = DELIMITER;

/** Accepts `--1` and `.`, which some producers write. */
const NUMBER = /^[+-]{0,2}(?:\d+\.?\d*|\.\d*)$/;

/** Parser of objects (ISO 32000-2 §7.3) in untrusted bytes; `position` is its offset. */
export interface PdfParser {
  position: number;
  /** The next object. @throws PdfFault PDF_DAMAGED */
  object(): PdfObject;
  /** Consumes `word` if it comes next. */
  takes(word: string): boolean;
  /** An unsigned integer. @throws PdfFault PDF_DAMAGED */
  integer(): number;
}

export function createParser(bytes: Uint8Array, position: number): PdfParser {
  let at = position;

  function skipSpace(): void {
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) return;
      if (byte === 0x25) while (at < bytes.length && !isLineEnd(bytes[at])) at += 1;
      else if (classes[byte] === SPACE) at += 1;
      else return;
    }
  }

  function regular(): string {
    const start = at;
    while (at < bytes.length && classes[bytes[at] ?? 0] === 0) at += 1;
    return latin1(bytes, start, at);
  }

  function integer(): number {
    skipSpace();
    const text = regular();
    if (!/^\d{1,15}$/.test(text)) throw damaged('A number is missing.');
    return Number(text);
  }

  function object(depth = 0): PdfObject {
    if (depth > pdfLimits.nesting.most) throw beyond('nesting', depth);
    skipSpace();
    switch (bytes[at]) {
      case undefined:
        throw damaged('An object is cut off.');
      case 0x2f:
        at += 1;
        return pdfName(unescapedName(regular()));
      case 0x28:
        return pdfBytes(literalString());
      case 0x5b:
        at += 1;
        return array(depth);
      case 0x3c:
        if (bytes[at + 1] !== 0x3c) return pdfBytes(hexadecimalString());
        at += 2;
        return dictionary(depth);
      default:
        return keywordOrNumber();
    }
  }

  function array(depth: number): PdfObject {
    const items: PdfObject[] = [];
    for (;;) {
      skipSpace();
      if (bytes[at] === 0x5d) {
        at += 1;
        return items;
      }
      items.push(object(depth + 1));
    }
  }

  function dictionary(depth: number): PdfObject {
    const entries = new Map<string, PdfObject>();
    for (;;) {
      skipSpace();
      if (bytes[at] === 0x3e && bytes[at + 1] === 0x3e) {
        at += 2;
        return { kind: 'dictionary', entries };
      }
      if (bytes[at] !== 0x2f) throw damaged('A dictionary is malformed.');
      at += 1;
      const key = unescapedName(regular());
      entries.set(key, object(depth + 1));
    }
  }

  function keywordOrNumber(): PdfObject {
    const text = regular();
    if (/^\d{1,10}$/.test(text)) {
      const reference = referenceFrom(Number(text));
      if (reference !== null) return reference;
    }
    if (NUMBER.test(text)) return Number(text.replace(/^[+-](?=[+-])/, '')) || 0;
    if (text === 'true') return true;
    if (text === 'false') return false;
    if (text === 'null') return null;
    throw damaged('An object is malformed.');
  }

  /** `12 0 R`, or else the number alone. */
  function referenceFrom(number: number): PdfObject {
    const start = at;
    skipSpace();
    const generation = regular();
    if (/^\d{1,5}$/.test(generation)) {
      skipSpace();
      if (bytes[at] === 0x52 && classes[bytes[at + 1] ?? 32] !== 0) {
        at += 1;
        return pdfReference(number, Number(generation));
      }
    }
    at = start;
    return null;
  }

  function literalString(): Uint8Array {
    const out: number[] = [];
    let open = 1;
    at += 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw damaged('A string is cut off.');
      at += 1;
      if (byte === 0x5c) {
        escape(out);
        continue;
      }
      if (byte === 0x28) open += 1;
      if (byte === 0x29) open -= 1;
      if (open === 0) return Uint8Array.from(out);
      out.push(byte);
    }
  }

  function escape(out: number[]): void {
    const byte = bytes[at] ?? 0;
    at += 1;
    if (byte >= 0x30 && byte <= 0x37) {
      let value = byte - 0x30;
      for (let digits = 1; digits < 3; digits += 1) {
        const next = bytes[at] ?? 0;
        if (next < 0x30 || next > 0x37) break;
        value = value * 8 + next - 0x30;
        at += 1;
      }
      out.push(value & 0xff);
    } else if (byte === 0x0d) {
      if (bytes[at] === 0x0a) at += 1;
    } else if (byte !== 0x0a) {
      out.push(escapes.get(byte) ?? byte);
    }
  }

  function hexadecimalString(): Uint8Array {
    const end = bytes.indexOf(0x3e, at);
    if (end < 0) throw damaged('A string is cut off.');
    const digits = latin1(bytes, at + 1, end).replaceAll(/[^0-9A-Fa-f]/g, '');
    at = end + 1;
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
  }

  return {
    get position() {
      return at;
    },
    set position(value) {
      at = value;
    },
    object: () => object(),
    integer,
    takes(word) {
      skipSpace();
      const end = at + word.length;
      if (latin1(bytes, at, end) !== word || classes[bytes[end] ?? 32] === 0) return false;
      at = end;
      return true;
    },
  };
}

const escapes = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12 }).map(([letter, byte]) => [
    letter.charCodeAt(0),
    byte,
  ]),
);

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function unescapedName(text: string): string {
  return text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', start, end);
}

/**
 * Reads the stream whose keyword ends at offset `at` (§7.3.8).
 *
 * @param length its `Length`, resolved
 * @throws PdfFault when it does not lie within the file
 */
export function streamAt(
  bytes: Uint8Array,
  at: number,
  dictionary: PdfDictionary,
  length: PdfObject | undefined,
): PdfStream {
  const start = at + (bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? 2 : 1);
  if (typeof length !== 'number' || length < 0 || start + length > bytes.length) {
    throw damaged('A stream is cut off.');
  }
  return { kind: 'stream', dictionary, data: bytes.subarray(start, start + length) };
}
