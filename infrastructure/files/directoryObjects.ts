import { access as accessPath, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Dependency, Unavailable } from '../../application/ports/faults.ts';
import type { ByteRange, ObjectStore } from '../../application/ports/objectStore.ts';
import type { OutsideAccess } from '../outside/access.ts';

export interface DirectoryOptions {
  readonly directory: string;
  /** Dependency reported unavailable when the directory is. */
  readonly dependency: Dependency;
  /** Bounds the calls to the file system: one to a volume that hangs keeps a thread of the process's pool. */
  readonly access: OutsideAccess;
  /** False: a directory that is missing, such as a volume that is not mounted, is an outage. Default: it is made. */
  readonly isMade?: boolean;
  /** Path of an object in the directory; default: its name. */
  readonly pathOf?: (name: string) => string;
}

const PIECE_BYTES = 64 * 1024;

/**
 * Objects in a directory of this machine, or of a volume shared by all processes. One is written to a temporary path,
 * synced, and renamed, which is atomic.
 */
export function createDirectoryObjects(options: DirectoryOptions): ObjectStore {
  const { directory, dependency, access, isMade = true, pathOf = (name: string) => name } = options;
  const placeOf = (name: string) => join(directory, pathOf(name));

  /** One call to the file system. */
  const call = <Result>(work: () => Promise<Result>, onLate?: (result: Result) => unknown) =>
    access.run(async () => {
      try {
        return await work();
      } catch (error) {
        if (typeof (error as { readonly code?: unknown }).code !== 'string') throw error;
        throw new Unavailable(dependency, error);
      }
    }, onLate);
  const close = (file: FileHandle | null) => {
    if (file !== null) access.later(() => file.close());
  };

  /** Syncs the folder, which makes a rename durable. */
  const syncFolder = (path: string) =>
    call(async () => {
      const folder = await open(path, 'r');
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
    });

  async function* read(file: FileHandle, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const end = range === undefined ? Infinity : range.from + range.length;
    try {
      for (let position = range?.from ?? 0; position < end;) {
        const length = Math.min(PIECE_BYTES, end - position);
        const { bytesRead, buffer } = await call(() =>
          file.read(Buffer.allocUnsafe(length), 0, length, position),
        );
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      close(file);
    }
  }

  return {
    async put(name, content) {
      const place = placeOf(name);
      const folder = dirname(place);
      const arriving = `${place}.part`;
      const file = await call(async () => {
        if (!isMade) await accessPath(directory);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        return open(arriving, 'w', 0o600);
      }, close);
      try {
        for await (const piece of content.read()) await call(() => file.writeFile(piece));
        await call(() => file.sync());
      } finally {
        close(file);
      }
      await call(() => rename(arriving, place));
      await syncFolder(folder);
      await syncFolder(directory);
    },
    async get(name, range) {
      const file = await call(() => open(placeOf(name), 'r').catch(absent), close);
      return file && read(file, range);
    },
    async remove(name) {
      const place = placeOf(name);
      await call(async () => {
        await rm(place, { force: true });
        await rm(`${place}.part`, { force: true });
      });
    },
  };
}

function absent(error: unknown): null {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
  throw error;
}
