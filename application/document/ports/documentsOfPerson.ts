/**
 * The documents a person made, or was named in or asked to sign.
 *
 * @throws Unavailable(database)
 */
export interface DocumentsOfPerson {
  /** Ids, in order. @param after the last of the previous page; null: from the first */
  documentsOf(civilId: string, limit: number, after: string | null): Promise<readonly string[]>;
}
