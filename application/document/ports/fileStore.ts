import type { FileContent } from '../../ports/objectStore.ts';

/**
 * Files by id, shared by all processes of the installation. The store does not verify contents: readers do.
 *
 * @throws Unavailable(fileStore); FileErased where files are encrypted and the key of their document was destroyed
 */
export interface FileStore {
  /**
   * Resolved means durable; until then the file is not visible. An id is used once; the same bytes may be stored again.
   *
   * @param fileId UUID
   * @param documentId of the document it belongs to
   */
  put(fileId: string, content: FileContent, documentId: string): Promise<void>;
  /** Null: no such file. Read with back-pressure. */
  get(fileId: string, documentId: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes a file, if it exists. */
  remove(fileId: string): Promise<void>;
}

/** The key that the files of a document are encrypted under, as the vault names it. */
export const keyOfDocument = (documentId: string): string => `document:${documentId}`;

/** The key of the document was destroyed: its people were forgotten. */
export class FileErased extends Error {
  override readonly name = 'FileErased';

  constructor() {
    super('The file was erased: the people of its document were forgotten.');
  }
}

/** Temporary storage of uploads outside memory; deleted with the process. */
export interface FileSpool {
  /**
   * Consumes a stream.
   *
   * @throws FileTooLarge beyond `limitBytes`; any error of the stream
   */
  take(source: AsyncIterable<Uint8Array>, limitBytes: number): Promise<SpooledFile>;
}

export interface SpooledFile extends FileContent {
  /** The first bytes, up to 1024. */
  readonly head: Buffer;
  /** Frees its space; ends reads in progress. */
  discard(): Promise<void>;
}

/** The upload exceeds the limit. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';

  constructor(limitBytes: number) {
    super(`The file is larger than ${limitBytes} bytes.`);
  }
}
