import { createReadStream } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Dependency, Unavailable } from '../../application/ports/faults.ts';
import type { ObjectStore } from '../../application/ports/objectStore.ts';

export interface DirectoryOptions {
  readonly directory: string;
  /** Dependency reported unavailable when the directory is. */
  readonly dependency: Dependency;
  /** False: a directory that is missing, such as a volume that is not mounted, is an outage. Default: it is made. */
  readonly isMade?: boolean;
  /** Path of an object in the directory; default: its name. */
  readonly pathOf?: (name: string) => string;
}

/**
 * Objects in a directory of this machine, or of a volume shared by all processes. One is written to a temporary path,
 * synced, and renamed, which is atomic.
 */
export function createDirectoryObjects(options: DirectoryOptions): ObjectStore {
  const { directory, dependency, isMade = true, pathOf = (name: string) => name } = options;
  const placeOf = (name: string) => join(directory, pathOf(name));

  async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (typeof (error as { readonly code?: unknown }).code === 'string') {
        throw new Unavailable(dependency, error);
      }
      throw error;
    }
  }

  return {
    put: (name, content) =>
      orUnavailable(async () => {
        const place = placeOf(name);
        const folder = dirname(place);
        if (!isMade) await access(directory);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const arriving = `${place}.part`;
        const file = await open(arriving, 'w', 0o600);
        try {
          for await (const piece of content.read()) await file.writeFile(piece);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(arriving, place);
        await syncFolder(folder);
        await syncFolder(directory);
      }),
    get: (name, range) =>
      orUnavailable(async () => {
        const file = await open(placeOf(name), 'r').catch(absent);
        const part = range && { start: range.from, end: range.from + range.length - 1 };
        return file && createReadStream('', { fd: file, ...part });
      }),
    remove: (name) =>
      orUnavailable(async () => {
        const place = placeOf(name);
        await rm(place, { force: true });
        await rm(`${place}.part`, { force: true });
      }),
  };
}

function absent(error: unknown): null {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
  throw error;
}

/** Syncs the folder, which makes a rename durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
