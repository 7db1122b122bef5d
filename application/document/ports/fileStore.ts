/** Stored bytes, readable repeatedly from the beginning. */
export interface FileContent {
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Files by id, shared by all processes of the installation. The store does not verify contents: readers do.
 *
 * @throws Unavailable(fileStore)
 */
export interface FileStore {
  /**
   * Resolved means durable; until then the file is not visible. An id is used once; the same bytes may be stored again.
   *
   * @param fileId UUID
   */
  put(fileId: string, content: FileContent): Promise<void>;
  /** Null: no such file. Read with back-pressure. */
  get(fileId: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes a file, if it exists. */
  remove(fileId: string): Promise<void>;
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
