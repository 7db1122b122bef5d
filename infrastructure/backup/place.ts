import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Unavailable } from '../../application/ports/faults.ts';
import { backOff, pause } from '../../application/ports/follow.ts';
import { createS3Objects, type S3Options } from '../files/s3Objects.ts';

/** An object of a place, and its length. */
export interface PlacedObject {
  readonly name: string;
  readonly bytes: number;
}

/** A directory or a prefix of a bucket that holds backups, each object small enough for memory. */
export interface BackupPlace {
  /** Address as an operator writes it. */
  readonly address: string;
  /** Resolved means durable; until then the object is not there. */
  put(name: string, content: Buffer): Promise<void>;
  /** Null: there is none of this name. */
  get(name: string): Promise<Buffer | null>;
  /** Objects whose names begin so, in no order. */
  list(prefix: string): Promise<readonly PlacedObject[]>;
  remove(name: string): Promise<void>;
}

/** Ending of what is being written. */
const ARRIVING = '.part';

/** Place in a directory, which is made. */
export function createDirectoryPlace(directory: string): BackupPlace {
  const pathOf = (name: string) => join(directory, name);
  return {
    address: directory,
    async put(name, content) {
      const path = pathOf(name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(`${path}${ARRIVING}`, 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}${ARRIVING}`, path);
      await syncFolder(dirname(path));
    },
    get: async (name) => collected(createReadStream(pathOf(name))).catch(absent),
    async list(prefix) {
      const found = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
        absent,
      );
      const names = (found ?? [])
        .filter((entry) => entry.isFile() && !entry.name.endsWith(ARRIVING))
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
        .map((path) => path.split(sep).join('/'))
        .filter((name) => name.startsWith(prefix));
      const objects = await Promise.all(
        names.map(async (name) => {
          // Removed since the directory was read: not there.
          const there = await stat(pathOf(name)).catch(absent);
          return there === null ? [] : [{ name, bytes: there.size }];
        }),
      );
      return objects.flat();
    },
    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

/**
 * Place in a bucket of an S3-compatible store, which is asked again while it does not answer: a backup of hours is not to
 * end with one request.
 *
 * @throws Unavailable(backup) from every method
 */
export function createS3Place(
  address: string,
  options: Omit<S3Options, 'dependency'>,
): BackupPlace {
  const objects = createS3Objects({ ...options, dependency: 'backup' });
  return {
    address,
    put: (name, content) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      const written = { sizeBytes: content.length, sha256, read: () => one(content) };
      return patiently(() => objects.put(name, written));
    },
    get: (name) =>
      patiently(async () => {
        const found = await objects.get(name);
        return found && collected(found);
      }),
    list: (prefix) => patiently(() => objects.list(prefix)),
    remove: (name) => patiently(() => objects.remove(name)),
  };
}

/** Tries of a place that does not answer: half a minute. */
const ATTEMPTS = 8;

async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || failures >= ATTEMPTS) throw error;
      await pause(backOff(failures));
    }
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

async function collected(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Makes a rename durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function absent(error: unknown): null {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
  throw error;
}
