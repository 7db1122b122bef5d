/**
 * Newest row of a list when its first page was read. Further pages leave out what is newer, so that rows added meanwhile
 * move none to another page.
 */
export interface ListSnapshot {
  /** Time as text of the database. */
  readonly time: string;
  readonly key: string;
}

/** Part of a list that grows at its beginning. */
export interface ListPart {
  readonly limit: number;
  readonly offset: number;
  /** That of the first page; null or omitted: this is the first one. */
  readonly snapshot?: ListSnapshot | null | undefined;
}

/** A page's snapshot; null: there was no row yet. */
export interface HasSnapshot {
  readonly snapshot: ListSnapshot | null;
}

/** The snapshot of a row, as PostgreSQL would write it. */
export function snapshotAt(time: Date, key: string): ListSnapshot {
  return { time: time.toISOString().replace('T', ' ').replace('Z', '+00'), key };
}
