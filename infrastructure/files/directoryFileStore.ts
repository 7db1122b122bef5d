import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Unavailable } from '../../application/ports/faults.ts';
import type { FileStore } from '../../application/document/ports/fileStore.ts';
import { expectFileId } from './fileId.ts';

/**
 * Files in a directory of this machine, or of a volume shared by all processes: `<two first digits>/<id>`. A file is
 * written to a temporary path, synced, and renamed, which is atomic.
 */
export function createDirectoryFileStore(directory: string): FileStore {
  const placeOf = (fileId: string) => join(directory, expectFileId(fileId).slice(0, 2), fileId);

  return {
    put: (fileId, content) =>
      orUnavailable(async () => {
        const place = placeOf(fileId);
        const folder = dirname(place);
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
    get: (fileId) =>
      orUnavailable(async () => {
        const file = await open(placeOf(fileId), 'r').catch(absent);
        return file && createReadStream('', { fd: file });
      }),
    remove: (fileId) =>
      orUnavailable(async () => {
        const place = placeOf(fileId);
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

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (typeof (error as { readonly code?: unknown }).code === 'string') {
      throw new Unavailable('fileStore', error);
    }
    throw error;
  }
}
