/** A possibly orphaned file: only the document's own record decides. */
export interface UnsettledFile {
  readonly fileId: string;
  readonly documentId: string;
}

/**
 * Files registered before they are stored or replaced, so that leftovers of a crash are found.
 *
 * @throws Unavailable(database)
 */
export interface UnsettledFiles {
  note(files: readonly UnsettledFile[], now: Date): Promise<void>;
  /** @param notedBefore later registrations stay; omitted: all are removed */
  settle(fileIds: readonly string[], notedBefore?: Date): Promise<void>;
  /** By file id. @param after the last of the previous page */
  notedBefore(
    moment: Date,
    limit: number,
    after: UnsettledFile | null,
  ): Promise<readonly UnsettledFile[]>;
}
