/** Bytes at rest that can be read as often as needed, each time from the beginning. */
export interface FileContent {
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Files by id, for every process of the installation. What a file should be is not the store's to know: readers check.
 *
 * @throws Unavailable(fileStore)
 */
export interface FileStore {
  /**
   * Resolved means durable; until then nobody finds it. An id is used once; the same bytes may be put again.
   *
   * @param fileId UUID
   */
  put(fileId: string, content: FileContent): Promise<void>;
  /** Null: there is no such file. Pieces are read as fast as they are taken. */
  get(fileId: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** One that is not there is no fault. */
  remove(fileId: string): Promise<void>;
}

/** Where files wait while they arrive, outside memory; nothing of it outlives the process. */
export interface FileSpool {
  /**
   * Takes a stream to its end.
   *
   * @throws FileTooLarge beyond `limitBytes`; whatever the stream throws
   */
  take(source: AsyncIterable<Uint8Array>, limitBytes: number): Promise<SpooledFile>;
}

export interface SpooledFile extends FileContent {
  /** The first bytes, up to 1024. */
  readonly head: Buffer;
  /** Frees its room; what is being read then ends. */
  discard(): Promise<void>;
}

/** More bytes came than are taken. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';

  constructor(limitBytes: number) {
    super(`The file is larger than ${limitBytes} bytes.`);
  }
}
