import { join } from 'node:path';
import { createDocuments } from '../../application/document/documents.ts';
import { createDocumentErasure } from '../../application/document/eraseDocuments.ts';
import type { FileStore } from '../../application/document/ports/fileStore.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createFileStore } from '../../infrastructure/files/fileStore.ts';
import { createNoFileStore } from '../../infrastructure/files/noFileStore.ts';
import { createEncryptedFileStore } from '../../infrastructure/files/encryptedFileStore.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createDocumentIds } from '../../projections/documents.ts';
import type { Foundation } from './foundation.ts';
import { fileStoreUse, openObjectStore } from './objectStores.ts';

/** Documents and their encrypted files, which forgetting a person reaches too. */
export type DocumentStorage = ReturnType<typeof composeDocumentStorage>;

export function composeDocumentStorage(config: Config, foundation: Foundation) {
  const { eventStore, clock, randomness, vault, database } = foundation;
  const documents = createDocuments({ eventStore, clock, randomness });
  const ids = failingFast(createDocumentIds(database));
  const store = createEncryptedFileStore({ store: openFileStore(config, foundation), vault });
  return {
    documents,
    store,
    erasure: createDocumentErasure({ documents, documentsOfPerson: ids, store, vault }),
  };
}

/** Opens the configured file store. */
function openFileStore(config: Config, foundation: Foundation): FileStore {
  const objects = openObjectStore(config, foundation, {
    ...fileStoreUse,
    pathOf: (fileId) => join(fileId.slice(0, 2), fileId),
  });
  return objects === null ? createNoFileStore() : createFileStore(objects);
}
