/**
 * The documents a person made, or was named in or asked to sign.
 *
 * @throws Unavailable(database)
 */
export interface DocumentsOfPerson {
  /** Ids, in order. @param after the last of the previous page; null: from the first */
  documentsOf(civilId: string, limit: number, after: string | null): Promise<readonly string[]>;
}

/**
 * Every document with a file, for what is done to all of them.
 *
 * @throws Unavailable(database)
 */
export interface AllDocuments {
  /** Ids, in order. @param after the last of the previous page; null: from the first */
  documentIds(limit: number, after: string | null): Promise<readonly string[]>;
}
