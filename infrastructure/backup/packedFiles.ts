import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { NotABackup } from './manifest.ts';

/** Ending of files that are being written (directoryObjects.ts). */
const ARRIVING = '.part';
const LONGEST_HEADER = 4096;
/** Names that stores of files give. */
const NAME = /^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+)*$/u;

/**
 * Files of a directory one after another, each behind a line of JSON with its path and size. Those that are removed
 * meanwhile are left out.
 *
 * @param onFiles is called with 1 for each
 */
export async function* packedFiles(
  directory: string,
  onFiles: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for (const path of await pathsIn(directory)) {
    const found = await stat(path).catch(absent);
    if (found === null) continue;
    const name = nameIn(directory, path);
    yield Buffer.from(`${JSON.stringify({ name, bytes: found.size })}\n`);
    let left = found.size;
    if (left > 0) {
      for await (const piece of createReadStream(path, {
        end: left - 1,
      }) as AsyncIterable<Buffer>) {
        left -= piece.length;
        yield piece;
      }
    }
    if (left > 0)
      throw new Error(`${path} became shorter while it was read. Run the backup again.`);
    onFiles(1);
  }
}

/** Path from the directory on, with slashes. */
const nameIn = (directory: string, path: string) => relative(directory, path).split(sep).join('/');

async function pathsIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(absent);
  return (
    (entries ?? [])
      .filter((entry) => entry.isFile() && !entry.name.endsWith(ARRIVING))
      .map((entry) => join(entry.parentPath, entry.name))
      // Others are none of a store's: what a file system or somebody left there.
      .filter((path) => NAME.test(nameIn(directory, path)))
      .sort()
  );
}

/** Writes packed files into a directory, each whole or not at all. @throws NotABackup */
export async function unpackFiles(
  directory: string,
  content: AsyncIterable<Uint8Array>,
  onFiles: (count: number) => void,
): Promise<void> {
  const source = reading(content);
  for (let header = await source.line(); header !== null; header = await source.line()) {
    const { name, bytes } = headerIn(header);
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(`${path}${ARRIVING}`, 'w', 0o600);
    try {
      for await (const piece of source.take(bytes)) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}${ARRIVING}`, path);
    onFiles(1);
  }
}

function headerIn(line: string): { readonly name: string; readonly bytes: number } {
  const { name, bytes } = JSON.parse(line) as { readonly name?: unknown; readonly bytes?: unknown };
  if (typeof name === 'string' && NAME.test(name) && Number.isSafeInteger(bytes)) {
    return { name, bytes: Number(bytes) };
  }
  throw new NotABackup('The files of the backup are malformed.');
}

/** Reads lines and bytes in turn. */
function reading(content: AsyncIterable<Uint8Array>) {
  const pieces = content[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    const next = await pieces.next();
    if (next.done === true) return false;
    held = held.length === 0 ? Buffer.from(next.value) : Buffer.concat([held, next.value]);
    return true;
  }

  return {
    /** Null at the end. */
    async line(): Promise<string | null> {
      let end: number;
      while ((end = held.indexOf(0x0a)) === -1) {
        if (held.length <= LONGEST_HEADER && (await more())) continue;
        if (held.length === 0) return null;
        throw new NotABackup('The files of the backup end in the middle of one.');
      }
      const line = held.toString('utf8', 0, end);
      held = held.subarray(end + 1);
      return line;
    },
    async *take(bytes: number): AsyncGenerator<Uint8Array> {
      for (let left = bytes; left > 0;) {
        if (held.length === 0 && !(await more())) {
          throw new NotABackup('The files of the backup end in the middle of one.');
        }
        const piece = held.subarray(0, left);
        held = held.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
  };
}

function absent(error: unknown): null {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
  throw error;
}
