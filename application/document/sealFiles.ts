import { filesOf } from '../../domain/document/document.ts';
import type { Documents } from './documents.ts';
import type { AllDocuments } from './ports/documentsOfPerson.ts';
import { FileErased, type FileSealing } from './ports/fileStore.ts';

export interface FileSealingDependencies {
  readonly documents: Documents;
  readonly allDocuments: AllDocuments;
  readonly store: FileSealing;
}

const PAGE = 500;

/**
 * Seals the files of documents that were stored in the clear, before files were sealed; the service keeps serving.
 * Repeatable after a failure.
 *
 * @returns the number of files sealed
 * @throws Unavailable
 */
export type SealFiles = () => Promise<number>;

export function createFileSealing(dependencies: FileSealingDependencies): SealFiles {
  const { documents, allDocuments, store } = dependencies;

  async function sealOf(documentId: string): Promise<number> {
    const { state } = await documents.load(documentId);
    if (state.status === 'NONE') return 0;
    let sealed = 0;
    for (const fileId of filesOf(state)) {
      if (await store.sealStored(fileId, documentId).catch(erased)) sealed += 1;
    }
    return sealed;
  }

  return async () => {
    let sealed = 0;
    for (let after: string | null = null; ;) {
      const page: readonly string[] = await allDocuments.documentIds(PAGE, after);
      for (const documentId of page) sealed += await sealOf(documentId);
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return sealed;
    }
  };
}

function erased(error: unknown): false {
  if (error instanceof FileErased) return false;
  throw error;
}
