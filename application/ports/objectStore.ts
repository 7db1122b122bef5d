/** Stored bytes, readable repeatedly from the beginning. */
export interface FileContent {
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/** Part of an object, bytes. */
export interface ByteRange {
  readonly from: number;
  readonly length: number;
}

/**
 * Objects by name, in a directory or a bucket shared by all processes. The store does not verify contents: readers do.
 *
 * @throws Unavailable, with the dependency it was opened for
 */
export interface ObjectStore {
  /** Resolved means durable; until then the object is not visible. Replaces an object of this name. */
  put(name: string, content: FileContent): Promise<void>;
  /** The object, or a part of it, read with back-pressure; null: there is none of this name. */
  get(name: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes an object, if it exists. */
  remove(name: string): Promise<void>;
}
