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
import type { FileContent } from '../ports/objectStore.ts';
import type { DocumentInspection, Recognition } from './ports/documentInspection.ts';
import type { FileScanner } from './ports/fileScanner.ts';
import {
  FileErased,
  type FileSpool,
  type FileStore,
  FileTooLarge,
  type SpooledFile,
} from './ports/fileStore.ts';
import type { Quota } from '../attempts.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { UnsettledFiles } from './ports/unsettledFiles.ts';
import { type DocumentAddress, type Documents, readDocument } from './documents.ts';

export interface DocumentFileDependencies {
  readonly documents: Documents;
  readonly store: FileStore;
  readonly spool: FileSpool;
  readonly scanner: FileScanner;
  readonly inspection: DocumentInspection;
  readonly unsettled: UnsettledFiles;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly maxBytes: number;
  /** Bytes attached by one caller; default: any number. */
  readonly quota?: Quota;
}

/** An uploaded file. */
export interface IncomingFile {
  /** Validated file name. */
  readonly fileName: string;
  /** Declared type; null: none. */
  readonly contentType: string | null;
  readonly source: AsyncIterable<Uint8Array>;
}

/** A file whose bytes match the recorded digest. The caller discards it. */
export interface OutgoingFile {
  readonly content: SpooledFile;
  readonly fileName: string;
  readonly contentType: string;
}

/** The stored file differs from the recorded digest. On the wire: 500. */
class StoredFileAltered extends Error {
  override readonly name = 'StoredFileAltered';

  constructor(fileId: string) {
    super(`The stored file ${fileId} is missing, or differs from the one that was recorded.`);
  }
}

const noQuota: Quota = { spend: (_caller, _bytes, make) => make() };

const callerOf = ({ tenantId }: DocumentAddress, { actor }: CommandContext): string =>
  `${tenantId ?? ''} ${actor.id}`;

/** Files of documents: upload, download, and storage for signing. */
export type DocumentFiles = ReturnType<typeof createDocumentFiles>;

export function createDocumentFiles(dependencies: DocumentFileDependencies) {
  const { documents, store, spool, scanner, inspection, unsettled } = dependencies;
  const { clock, randomness, maxBytes, quota = noQuota } = dependencies;

  /**
   * Stores a file, then records its reference. Registered as possibly orphaned beforehand, so that an unreferenced file
   * is found and removed (see `createFileRemoval`).
   *
   * @param record resolves to true once the document refers to the file
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
    await store.put(file.fileId, content, documentId).catch(refuseErased);
    const isUsed = await record(file);
    if (isUsed) await unsettled.settle([file.fileId]);
    return { file, isUsed };
  }

  /** @throws Refusal FILE_ERASED; StoredFileAltered, Unavailable */
  async function fetch(
    { created: { documentId } }: DocumentRecord,
    { fileId, sha256, sizeBytes }: StoredFile,
  ): Promise<SpooledFile> {
    const source = stored(fileId, documentId);
    const content = await spool.take(source, sizeBytes).catch((error: unknown) => {
      throw error instanceof FileTooLarge ? new StoredFileAltered(fileId) : error;
    });
    if (content.sizeBytes === sizeBytes && content.sha256 === sha256) return content;
    await content.discard();
    throw new StoredFileAltered(fileId);
  }

  /** Opened on first read, so that a refused download leaves no open file. */
  async function* stored(fileId: string, documentId: string): AsyncGenerator<Uint8Array> {
    const source = await store.get(fileId, documentId).catch(refuseErased);
    if (source === null) throw new StoredFileAltered(fileId);
    yield* source;
  }

  /** Takes a file that is neither empty nor too large. */
  async function receive({ source }: IncomingFile): Promise<SpooledFile> {
    const content = await spool.take(source, maxBytes).catch((error: unknown) => {
      if (error instanceof FileTooLarge) throw badFile(`At most ${maxBytes} bytes.`);
      throw error;
    });
    if (content.sizeBytes > 0) return content;
    await content.discard();
    throw badFile('The file is empty.');
  }

  async function accept(incoming: IncomingFile): Promise<SpooledFile> {
    const content = await receive(incoming);
    try {
      const { found } = await scanner.scan(content);
      if (found === null) return content;
      throw new Refusal('FILE_INFECTED', {
        detail: `The virus scanner found ${found}. The file was not stored.`,
      });
    } catch (error) {
      await content.discard();
      throw error;
    }
  }

  return {
    /**
     * Attaches a file, replacing the current one.
     *
     * @throws Refusal NOT_FOUND, DOCUMENT_FROZEN, SIGNING_UNDER_WAY, INVALID_REQUEST, FILE_INFECTED, FILE_ERASED, QUOTA_EXCEEDED
     * @throws Unavailable, Overloaded
     */
    async attach(
      address: DocumentAddress,
      upload: <Result>(take: (file: IncomingFile) => Promise<Result>) => Promise<Result>,
      context: CommandContext,
    ): Promise<AttachedFile> {
      const document = await readDocument(documents, address);
      expectFileChangeable(document);
      return upload(async (incoming) => {
        const content = await accept(incoming);
        try {
          const { fileName } = incoming;
          const contentType = typeOf(content.head, incoming.contentType);
          const isPdf = contentType === PDF_TYPE;
          const warnings = isPdf ? await inspection.warningsOf(await bytesOf(content)) : null;
          const attached = (file: StoredFile) => ({ ...file, fileName, contentType, warnings });
          const { file: kept } = await quota.spend(
            callerOf(address, context),
            content.sizeBytes,
            () =>
              keep(document, content, async (file) => {
                await noteReplaced(document);
                const now = clock.now().toISOString();
                const command = { type: 'AttachFile', file: attached(file), now } as const;
                await documents.handle(document.created.documentId, command, context);
                // The registration stays until the sweep: a concurrent upload would not know of this file.
                return false;
              }),
          );
          return attached(kept);
        } finally {
          await content.discard();
        }
      });
    },

    /**
     * Compares a file, which is not kept, with those the document's signatures cover: only a whole one is recognised.
     *
     * @param signed SHA-256 of the signed files, lower-case hexadecimal
     * @throws Refusal INVALID_REQUEST; Unavailable, Overloaded
     */
    async recognise(incoming: IncomingFile, signed: readonly string[]): Promise<Recognition> {
      const content = await receive(incoming);
      try {
        return await inspection.recognise(await bytesOf(content), signed);
      } finally {
        await content.discard();
      }
    },

    /**
     * The newest bytes of a document, verified.
     *
     * @throws Refusal NOT_FOUND also without a file, FILE_ERASED; StoredFileAltered, Unavailable, Overloaded
     */
    async open(document: DocumentRecord): Promise<OutgoingFile> {
      const { file } = document;
      const current = currentFile(document);
      if (file === null || current === null) {
        throw new Refusal('NOT_FOUND', { detail: 'The document has no file.' });
      }
      const { fileName, contentType } = file;
      return { content: await fetch(document, current), fileName, contentType };
    },

    /** Fetches a file into memory, see {@link fetch}. */
    async read(document: DocumentRecord, file: StoredFile): Promise<Buffer> {
      const content = await fetch(document, file);
      try {
        return await bytesOf(content);
      } finally {
        await content.discard();
      }
    },

    /**
     * Stores bytes and records their reference; removes them when a concurrent command won.
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

  /** Registers the files that the document no longer references once another is attached. */
  async function noteReplaced(document: DocumentRecord): Promise<void> {
    const { documentId } = document.created;
    const replaced = filesOf(document).map((fileId) => ({ fileId, documentId }));
    if (replaced.length > 0) await unsettled.note(replaced, clock.now());
  }
}

/** Removes a file registered before `moment`, unless its document refers to it. */
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
  // Registered again meanwhile: it is being replaced, and will be checked again.
  await unsettled.settle([fileId], moment);
}

const PDF = Buffer.from('%PDF-');
const PDF_TYPE = 'application/pdf';

/** PDF is detected from the bytes (contract §11); any other type is as declared. */
function typeOf(head: Buffer, declared: string | null): string {
  if (head.subarray(0, PDF.length).equals(PDF)) return PDF_TYPE;
  return declared === null || declared === PDF_TYPE ? 'application/octet-stream' : declared;
}

async function bytesOf(content: FileContent): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** @throws Refusal FILE_ERASED for the fault of that name; otherwise the error itself */
function refuseErased(error: unknown): never {
  throw error instanceof FileErased ? new Refusal('FILE_ERASED') : error;
}

/** Refusal of the field `file`. */
export function badFile(detail: string): Refusal {
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
