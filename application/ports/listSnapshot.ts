/** Place of a row in a list. */
export interface RowPlace {
  /** Time as text of the database. */
  readonly time: string;
  readonly key: string;
}

/**
 * Newest row of a list when its first page was read. Further pages leave out what is newer, and go on behind the last
 * row shown: rows that come or go meanwhile move none to another page.
 */
export interface ListSnapshot extends RowPlace {
  /** Last row of the page, and the number of rows up to it; omitted: there was none. */
  readonly shown?: RowPlace & { readonly rows: number };
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

/** The place of a row, as PostgreSQL would write it. */
export function placeAt(time: Date, key: string): RowPlace {
  return { time: time.toISOString().replace('T', ' ').replace('Z', '+00'), key };
}

/** The snapshot of a page for the next one. @param last row of the page; undefined: it has none */
export function snapshotBehind(
  snapshot: ListSnapshot | null,
  rows: number,
  last: RowPlace | undefined,
): ListSnapshot | null {
  return snapshot === null || last === undefined
    ? snapshot
    : { ...snapshot, shown: { ...last, rows } };
}
