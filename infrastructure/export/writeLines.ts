import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes lines to a new file, in batches, with back-pressure. @throws Error of the file system */
export async function writeLines(
  path: string,
  lines: AsyncIterable<readonly string[]>,
): Promise<void> {
  const pieces = async function* () {
    for await (const some of lines) if (some.length > 0) yield `${some.join('\n')}\n`;
  };
  await pipeline(Readable.from(pieces()), createWriteStream(path));
}
