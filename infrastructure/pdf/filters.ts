import { inflateSync } from 'node:zlib';
import { damaged, PdfFault } from './faults.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  isArray,
  isDictionary,
  type PdfDictionary,
  type PdfObject,
  type PdfStream,
} from './objects.ts';

const MAX_DECODED = pdfLimits.decodedBytes.most;

type Resolve = (object: PdfObject | undefined) => PdfObject;

/** Decoder with one limit over all streams of a document, see {@link decodeStream}. */
export function createDecoder(): (stream: PdfStream, value: Resolve) => Uint8Array {
  const { most } = pdfLimits.decodedBytesTogether;
  let together = 0;
  return (stream, value) => {
    const decoded = decodeStream(stream, value);
    together += decoded.length;
    if (together > most) throw beyond('decodedBytesTogether', together);
    return decoded;
  };
}

/**
 * The decoded data of a cross-reference or object stream: Flate with or without a predictor, or no filter at all.
 *
 * @param value resolves a reference
 * @throws PdfFault
 */
export function decodeStream({ dictionary, data }: PdfStream, value: Resolve): Uint8Array {
  const only = (key: string): PdfObject => {
    const entry = value(dictionary.entries.get(key));
    if (!isArray(entry)) return entry;
    if (entry.length > 1) throw unsupported();
    return value(entry[0]);
  };
  const filter = only('Filter');
  if (filter === null) return data;
  if (typeof filter !== 'object' || !('kind' in filter) || filter.kind !== 'name')
    throw unsupported();
  if (filter.name !== 'FlateDecode' && filter.name !== 'Fl') throw unsupported();
  const parameters = only('DecodeParms');
  const inflated = inflate(data);
  return isDictionary(parameters) ? unpredict(inflated, parameters) : inflated;
}

function unsupported(): PdfFault {
  return new PdfFault(
    'PDF_NOT_SUPPORTED',
    'The PDF keeps its objects under a filter other than Flate.',
  );
}

function inflate(data: Uint8Array): Uint8Array {
  try {
    return inflateSync(data, { maxOutputLength: MAX_DECODED });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw beyond('decodedBytes', MAX_DECODED + 1);
    }
    throw damaged('A compressed part of the PDF cannot be read.');
  }
}

/** §7.4.4.4, the PNG predictors, chosen per row. */
function unpredict(data: Uint8Array, parameters: PdfDictionary): Uint8Array {
  const number = (key: string, otherwise: number) => {
    const entry = parameters.entries.get(key);
    return typeof entry === 'number' ? entry : otherwise;
  };
  const predictor = number('Predictor', 1);
  if (predictor === 1) return data;
  if (predictor < 10) throw unsupported();
  const pixelBits = number('Colors', 1) * number('BitsPerComponent', 8);
  const rowBytes = Math.ceil((pixelBits * number('Columns', 1)) / 8);
  const pixelBytes = Math.max(1, pixelBits >> 3);
  if (!(rowBytes > 0 && rowBytes < MAX_DECODED)) throw damaged('A predictor is malformed.');
  const rows = Math.floor(data.length / (rowBytes + 1));
  const out = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row += 1) {
    const from = row * (rowBytes + 1);
    unpredictRow({
      out,
      at: row * rowBytes,
      type: data[from] ?? 0,
      row: data.subarray(from + 1, from + 1 + rowBytes),
      pixelBytes,
    });
  }
  return out;
}

interface Row {
  readonly out: Uint8Array;
  readonly at: number;
  readonly type: number;
  readonly row: Uint8Array;
  readonly pixelBytes: number;
}

function unpredictRow({ out, at, type, row, pixelBytes }: Row): void {
  for (let index = 0; index < row.length; index += 1) {
    const left = index < pixelBytes ? 0 : (out[at + index - pixelBytes] ?? 0);
    const up = at === 0 ? 0 : (out[at + index - row.length] ?? 0);
    const upLeft =
      at === 0 || index < pixelBytes ? 0 : (out[at + index - row.length - pixelBytes] ?? 0);
    out[at + index] = (row[index] ?? 0) + prediction(type, left, up, upLeft);
  }
}

function prediction(type: number, left: number, up: number, upLeft: number): number {
  switch (type) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, upLeft);
    default:
      return 0;
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const byLeft = Math.abs(estimate - left);
  const byUp = Math.abs(estimate - up);
  const byUpLeft = Math.abs(estimate - upLeft);
  if (byLeft <= byUp && byLeft <= byUpLeft) return left;
  return byUp <= byUpLeft ? up : upLeft;
}
