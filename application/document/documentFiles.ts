import {
  currentFile,
  type DocumentRecord,
  expectFileChangeable,
  filesOf,
} from '../../domain/document/document.ts';
import type { AttachedFile, StoredFile } from '../../domain/document/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileScanner } from '../ports/fileScanner.ts';
import {
  type FileContent,
  type FileSpool,
  type FileStore,
  FileTooLarge,
  type SpooledFile,
} from '../ports/fileStore.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { UnsettledFiles } from '../ports/unsettledFiles.ts';
import { type DocumentAddress, type Documents, readDocument } from './documents.ts';

export interface DocumentFileDependencies {
  readonly documents: Documents;
  readonly store: FileStore;
  readonly spool: FileSpool;
  readonly scanner: FileScanner;
  readonly unsettled: UnsettledFiles;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly maxBytes: number;
}

/** A file on its way in. */
export interface IncomingFile {
  /** Checked to be a name. */
  readonly fileName: string;
  /** As declared; null: none was. */
  readonly contentType: string | null;
  readonly source: AsyncIterable<Uint8Array>;
}

/** A file whose bytes were checked against what was recorded. Whoever has it discards it. */
export interface OutgoingFile {
  readonly content: SpooledFile;
  readonly fileName: string;
  readonly contentType: string;
}

/** What is in the file store is not what was put there. On the wire: 500. */
export class StoredFileAltered extends Error {
  override readonly name = 'StoredFileAltered';

  constructor(fileId: string) {
    super(`The stored file ${fileId} is missing, or not the one that was recorded.`);
  }
}

/** The files of documents: taken, given out, and kept where signing needs them. */
export type DocumentFiles = ReturnType<typeof createDocumentFiles>;

export function createDocumentFiles(dependencies: DocumentFileDependencies) {
  const { documents, store, spool, scanner, unsettled } = dependencies;
  const { clock, randomness, maxBytes } = dependencies;

  /**
   * Stores a file, then runs what makes the document refer to it. Noted beforehand: a file that nothing refers to in the
   * end is found and removed (see `createFileRemoval`).
   *
   * @param record says whether the document refers to the file from now on, whatever happens
   */
  async function keep(
    document: DocumentRecord,
    content: FileContent,
    record: (file: StoredFile) => Promise<boolean>,
  ): Promise<{ readonly file: StoredFile; readonly isUsed: boolean }> {
    const { sizeBytes, sha256 } = content;
    const file = { fileId: randomness.uuid(), sha256, sizeBytes };
    const { documentId } = document.created;
    await unsettled.note([{ fileId: file.fileId, documentId }], clock.now());
    await store.put(file.fileId, content);
    const isUsed = await record(file);
    if (isUsed) await unsettled.settle([file.fileId]);
    return { file, isUsed };
  }

  /** @throws StoredFileAltered, Unavailable */
  async function fetch({ fileId, sha256, sizeBytes }: StoredFile): Promise<SpooledFile> {
    const content = await spool.take(stored(fileId), sizeBytes).catch((error: unknown) => {
      throw error instanceof FileTooLarge ? new StoredFileAltered(fileId) : error;
    });
    if (content.sizeBytes === sizeBytes && content.sha256 === sha256) return content;
    await content.discard();
    throw new StoredFileAltered(fileId);
  }

  /** Opened when it is read: where there is no room for it, nothing of the store stays open. */
  async function* stored(fileId: string): AsyncGenerator<Uint8Array> {
    const source = await store.get(fileId);
    if (source === null) throw new StoredFileAltered(fileId);
    yield* source;
  }

  async function accept(incoming: IncomingFile): Promise<SpooledFile> {
    const content = await spool.take(incoming.source, maxBytes).catch((error: unknown) => {
      if (error instanceof FileTooLarge) throw badFile(`At most ${maxBytes} bytes.`);
      throw error;
    });
    try {
      if (content.sizeBytes === 0) throw badFile('The file is empty.');
      const { found } = await scanner.scan(content);
      if (found === null) return content;
      throw new Refusal('FILE_INFECTED', {
        detail: `The virus scanner found ${found}; the file was not kept.`,
      });
    } catch (error) {
      await content.discard();
      throw error;
    }
  }

  return {
    /**
     * Takes a file, in the place of the one there may be.
     *
     * @throws Refusal NOT_FOUND, DOCUMENT_FROZEN, SIGNING_UNDER_WAY, INVALID_REQUEST, FILE_INFECTED
     * @throws Unavailable, Overloaded
     */
    async attach(
      address: DocumentAddress,
      receive: <Result>(take: (file: IncomingFile) => Promise<Result>) => Promise<Result>,
      context: CommandContext,
    ): Promise<AttachedFile> {
      const document = await readDocument(documents, address);
      expectFileChangeable(document);
      return receive(async (incoming) => {
        const content = await accept(incoming);
        try {
          const { fileName } = incoming;
          const contentType = typeOf(content.head, incoming.contentType);
          const attached = (file: StoredFile) => ({ ...file, fileName, contentType });
          const { file: kept } = await keep(document, content, async (file) => {
            await noteReplaced(document);
            const now = clock.now().toISOString();
            const command = { type: 'AttachFile', file: attached(file), now } as const;
            await documents.handle(document.created.documentId, command, context);
            // The note stays until the sweep has looked: another upload, under way since, would not know of this file.
            return false;
          });
          return attached(kept);
        } finally {
          await content.discard();
        }
      });
    },

    /**
     * The newest bytes of a document, all of them checked.
     *
     * @throws Refusal NOT_FOUND also when it carries no file; StoredFileAltered, Unavailable, Overloaded
     */
    async open(document: DocumentRecord): Promise<OutgoingFile> {
      const { file } = document;
      const current = currentFile(document);
      if (file === null || current === null) {
        throw new Refusal('NOT_FOUND', { detail: 'The document carries no file.' });
      }
      const { fileName, contentType } = file;
      return { content: await fetch(current), fileName, contentType };
    },

    /** As {@link fetch}, in memory. */
    async read(file: StoredFile): Promise<Buffer> {
      const content = await fetch(file);
      try {
        const pieces: Uint8Array[] = [];
        for await (const piece of content.read()) pieces.push(piece);
        return Buffer.concat(pieces);
      } finally {
        await content.discard();
      }
    },

    /**
     * Stores bytes that a document is to refer to, and removes them when somebody was faster.
     *
     * @param record see {@link keep}
     */
    async keepBytes(
      document: DocumentRecord,
      bytes: Buffer,
      record: (file: StoredFile) => Promise<boolean>,
    ): Promise<void> {
      const { file, isUsed } = await keep(document, contentOf(bytes), record);
      if (isUsed) return;
      await removeIfUnused(
        dependencies,
        { fileId: file.fileId, documentId: document.created.documentId },
        new Date(clock.now().getTime() + 1),
      );
    },
  };

  /** What the document refers to no longer once another file is attached. */
  async function noteReplaced(document: DocumentRecord): Promise<void> {
    const { documentId } = document.created;
    const replaced = filesOf(document).map((fileId) => ({ fileId, documentId }));
    if (replaced.length > 0) await unsettled.note(replaced, clock.now());
  }
}

/** Removes a file noted before `moment`, unless its document refers to it. */
export async function removeIfUnused(
  {
    documents,
    store,
    unsettled,
  }: Pick<DocumentFileDependencies, 'documents' | 'store' | 'unsettled'>,
  { fileId, documentId }: { readonly fileId: string; readonly documentId: string },
  moment: Date,
): Promise<void> {
  const { state } = await documents.load(documentId);
  const isUsed = state.status !== 'NONE' && filesOf(state).includes(fileId);
  if (!isUsed) await store.remove(fileId);
  // Noted anew in between: it is about to be replaced, and to be looked at again.
  await unsettled.settle([fileId], moment);
}

const PDF = Buffer.from('%PDF-');

/** The bytes decide about PDF (contract §11); nothing else is told apart from what was declared. */
function typeOf(head: Buffer, declared: string | null): string {
  if (head.subarray(0, PDF.length).equals(PDF)) return 'application/pdf';
  return declared === null || declared === 'application/pdf'
    ? 'application/octet-stream'
    : declared;
}

function badFile(detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/file', detail }] });
}

function contentOf(bytes: Buffer): FileContent {
  return {
    sizeBytes: bytes.length,
    sha256: sha256Hex(bytes),
    // eslint-disable-next-line @typescript-eslint/require-await -- an iterable of one piece
    async *read() {
      yield bytes;
    },
  };
}
