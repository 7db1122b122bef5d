const LINE_END = 0x0a;
/** Longest line, bytes: longer than any event, and a bound on memory for files without line ends. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** A line of a file with its number, from 1. */
export interface NumberedLine {
  readonly number: number;
  /** Null: not UTF-8. */
  readonly text: string | null;
}

/**
 * Splits UTF-8 chunks into lines, many at a time, in constant memory. A last line without its end is yielded too:
 * readers of an export detect the truncation.
 *
 * @throws RangeError when a line is longer than 64 MiB
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly NumberedLine[]> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let number = 0;
  const numbered = (whole: Buffer): readonly NumberedLine[] =>
    textsOf(whole).map((text) => ({ number: (number += 1), text }));
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_END);
    if (end < 0) {
      rest.push(chunk);
      restBytes += chunk.length;
      if (restBytes > LONGEST_LINE) throw new RangeError(`Line ${number + 1} is too long.`);
      continue;
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]);
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    restBytes = chunk.length - end - 1;
    yield numbered(whole);
  }
  if (restBytes > 0) yield numbered(Buffer.concat(rest));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes all at once, which is faster, or one by one when something is not UTF-8. */
function textsOf(whole: Buffer): readonly (string | null)[] {
  const together = decoded(whole);
  if (together !== null) return together.split('\n');
  const texts: (string | null)[] = [];
  for (let start = 0; start <= whole.length;) {
    const found = whole.indexOf(LINE_END, start);
    const end = found < 0 ? whole.length : found;
    texts.push(decoded(whole.subarray(start, end)));
    start = end + 1;
  }
  return texts;
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
