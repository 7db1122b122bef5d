import type { FileStore } from '../../../application/document/ports/fileStore.ts';
import { expectFileId } from '../../../infrastructure/files/fileId.ts';

/** Files in the memory of this process; tests read and change `files`. */
export function createMemoryFileStore(): FileStore & { readonly files: Map<string, Buffer> } {
  const files = new Map<string, Buffer>();
  return {
    files,
    put: async (fileId, content) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content.read()) pieces.push(piece);
      files.set(expectFileId(fileId), Buffer.concat(pieces));
    },
    get: (fileId) => {
      const bytes = files.get(expectFileId(fileId));
      return Promise.resolve(bytes === undefined ? null : pieceOf(bytes));
    },
    remove: (fileId) => {
      files.delete(expectFileId(fileId));
      return Promise.resolve();
    },
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- an iterable of one piece
async function* pieceOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
