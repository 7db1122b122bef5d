/**
 * Newest row of a list when its first page was read. Further pages leave out what is newer, so that rows added meanwhile
 * move none to another page.
 */
export interface ListPin {
  /** Time as text of the database. */
  readonly time: string;
  readonly key: string;
}

/** Part of a list that grows at its beginning. */
export interface ListPart {
  readonly limit: number;
  readonly offset: number;
  /** That of the first page; null or omitted: this is the first one. */
  readonly pin?: ListPin | null | undefined;
}

/** A page's pin; null: there was no row yet. */
export interface Pinned {
  readonly pin: ListPin | null;
}

/** The pin of a row, as PostgreSQL would write it. */
export function pinAt(time: Date, key: string): ListPin {
  return { time: time.toISOString().replace('T', ' ').replace('Z', '+00'), key };
}
