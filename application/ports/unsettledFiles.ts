/** A file the store may hold in vain: only the document's own record tells. */
export interface UnsettledFile {
  readonly fileId: string;
  readonly documentId: string;
}

/**
 * Files noted before they are stored or replaced, so that whatever a crash leaves behind is found.
 *
 * @throws Unavailable(database)
 */
export interface UnsettledFiles {
  note(files: readonly UnsettledFile[], now: Date): Promise<void>;
  /** @param notedBefore those noted since stay; omitted: all go */
  settle(fileIds: readonly string[], notedBefore?: Date): Promise<void>;
  /** By file id. @param after the last of the page before */
  notedBefore(
    moment: Date,
    limit: number,
    after: UnsettledFile | null,
  ): Promise<readonly UnsettledFile[]>;
}
