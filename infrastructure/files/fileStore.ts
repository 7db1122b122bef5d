import type { FileStore } from '../../application/document/ports/fileStore.ts';
import type { ObjectStore } from '../../application/ports/objectStore.ts';
import { expectFileId } from './fileId.ts';

/** Files of documents as objects named by their ids. */
export function createFileStore(objects: ObjectStore): FileStore {
  return {
    put: async (fileId, content) => objects.put(expectFileId(fileId), content),
    get: async (fileId) => objects.get(expectFileId(fileId)),
    remove: async (fileId) => objects.remove(expectFileId(fileId)),
  };
}
