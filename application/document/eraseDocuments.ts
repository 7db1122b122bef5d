import { type DocumentRecord, filesOf } from '../../domain/document/document.ts';
import { reasonToKeep, type RetentionReason } from '../../domain/document/retention.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import { citizenOfTenant } from '../ports/platformTokens.ts';
import type { Documents } from './documents.ts';
import type { DocumentsOfPerson } from './ports/documentsOfPerson.ts';
import { type FileStore, keyOfDocument } from './ports/fileStore.ts';

/** A document whose file is kept although one of its people is forgotten. */
export interface KeptDocument {
  readonly documentId: string;
  readonly reason: RetentionReason;
}

/** Effect of forgetting a person on the files of their documents. */
export interface DocumentFate {
  readonly kept: readonly KeptDocument[];
  /** Ids of documents whose files become unreadable. */
  readonly erased: readonly string[];
}

export interface DocumentErasureDependencies {
  readonly documents: Documents;
  readonly documentsOfPerson: DocumentsOfPerson;
  readonly store: Pick<FileStore, 'remove'>;
  readonly vault: Pick<PersonalDataVault, 'forget' | 'isForgotten'>;
}

const PAGE = 500;

/** Decides which files of a forgotten person's documents are kept, and erases the others. */
export type DocumentErasure = ReturnType<typeof createDocumentErasure>;

export function createDocumentErasure({
  documents,
  documentsOfPerson,
  store,
  vault,
}: DocumentErasureDependencies) {
  /** Civil ids of the document's other people who are not forgotten. */
  async function othersOf({ created, parties }: DocumentRecord, civilId: string) {
    const maker = citizenOfTenant(created.tenantId);
    const people = new Set([...parties, ...(maker === null ? [] : [maker])]);
    people.delete(civilId);
    const others: string[] = [];
    for (const each of people) if (!(await vault.isForgotten(each))) others.push(each);
    return others;
  }

  async function* documentsOf(civilId: string): AsyncGenerator<DocumentRecord> {
    for (let after: string | null = null; ;) {
      const page: readonly string[] = await documentsOfPerson.documentsOf(civilId, PAGE, after);
      for (const documentId of page) {
        const { state } = await documents.load(documentId);
        if (state.status !== 'NONE') yield state;
      }
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return;
    }
  }

  async function decide(
    civilId: string,
    erase: (document: DocumentRecord) => Promise<void>,
  ): Promise<DocumentFate> {
    const kept: KeptDocument[] = [];
    const erased: string[] = [];
    for await (const document of documentsOf(civilId)) {
      const { documentId, tenantId } = document.created;
      const others = await othersOf(document, civilId);
      const isOrganizations = citizenOfTenant(tenantId) === null;
      const reason = reasonToKeep(document, { others, isOrganizations });
      if (reason === null) {
        await erase(document);
        erased.push(documentId);
      } else if (filesOf(document).length > 0) {
        kept.push({ documentId, reason });
      }
    }
    return { kept, erased };
  }

  return {
    /** The fate of the person's documents as things are; changes nothing. */
    foresee: (civilId: string): Promise<DocumentFate> => decide(civilId, () => Promise.resolve()),

    /**
     * Destroys the keys of the documents that need not be kept, and removes their files. Repeatable.
     *
     * @throws Unavailable
     */
    erase: (civilId: string): Promise<DocumentFate> =>
      decide(civilId, async (document) => {
        await vault.forget(keyOfDocument(document.created.documentId));
        for (const fileId of filesOf(document)) await store.remove(fileId);
      }),
  };
}
