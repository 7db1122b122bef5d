import { StringDecoder } from 'node:string_decoder';
import type { RefusedLine } from '../../application/registerImport/ports/writableRegister.ts';

/** One line of a file. */
export interface FileLine {
  /** From 1. */
  readonly line: number;
  /** Without its end. */
  readonly text: string;
}

/** Longest line, in characters. */
const LONGEST_LINE = 20_000;

const tooLong = `The line is longer than ${LONGEST_LINE} characters: is the end of a line missing?`;
const strayReturn =
  'The line contains a carriage return. End lines with LF or CR LF, and remove line breaks from fields.';
const notUtf8 = 'The line is not UTF-8. Save the file in that encoding.';

/**
 * Lines of a file in UTF-8, with or without byte order mark, ended by LF or CR LF. Holds a piece of the file at a time,
 * whatever its lines are.
 *
 * @throws Error of the source
 */
export async function* fileLines(
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<FileLine | RefusedLine> {
  const decoder = new StringDecoder('utf8');
  let line = 0;
  let rest = '';
  let isTooLong = false;

  function ended(text: string): FileLine | RefusedLine {
    line += 1;
    const isLong = isTooLong || text.length > LONGEST_LINE;
    isTooLong = false;
    if (isLong) return { line, reason: tooLong };
    // Bytes that are no UTF-8 are decoded to it.
    if (text.includes('\uFFFD')) return { line, reason: notUtf8 };
    const start = line === 1 && text.startsWith('\uFEFF') ? 1 : 0;
    const own = text.slice(start, text.endsWith('\r') ? -1 : undefined);
    return own.includes('\r') ? { line, reason: strayReturn } : { line, text: own };
  }

  for await (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield ended(text);
    if (rest.length <= LONGEST_LINE) continue;
    isTooLong = true;
    rest = '';
  }
  rest += decoder.end();
  if (rest !== '' || isTooLong) yield ended(rest);
}
