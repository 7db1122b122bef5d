const LINE_END = '\n';
/** No event is longer; a file without line ends must not fill the memory. UTF-16 units. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** A line of a file and where it stands, counted from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of UTF-8 text that arrives in chunks, many at a time, in constant memory however long the text is. A last
 * line without its end is a line too: whoever reads an export finds out that it was cut off.
 *
 * @throws TypeError when the text is not UTF-8
 * @throws RangeError when a line is longer than 64 Mi characters
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly NumberedLine[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  let number = 0;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf(LINE_END);
    if (end < 0) {
      rest += text;
      if (rest.length > LONGEST_LINE) throw new RangeError(`Line ${number + 1} is too long.`);
      continue;
    }
    const whole = rest + text.slice(0, end);
    rest = text.slice(end + 1);
    yield whole.split(LINE_END).map((line) => ({ number: (number += 1), text: line }));
  }
  rest += decoder.decode();
  if (rest !== '') yield [{ number: number + 1, text: rest }];
}
