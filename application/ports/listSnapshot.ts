/** Place of a row in a list. */
export interface RowPlace {
  /** Time as text of the database; in a list that is sorted, the value of its column. */
  readonly time: string;
  readonly key: string;
}

/** Order of a list other than its own. */
export interface ListSort {
  /** Name of a column that the list can be sorted by. */
  readonly by: string;
  readonly isDescending: boolean;
}

/** Last row of a page. */
export interface ShownRow extends RowPlace {
  /** Rows up to it. */
  readonly rows: number;
  /** Order in which it is the last one; omitted: the list's own. */
  readonly sort?: ListSort | undefined;
}

/**
 * Newest row of a list when its first page was read. Further pages leave out what is newer, and go on behind the last
 * row shown: rows that come or go meanwhile move none to another page.
 */
export interface ListSnapshot extends RowPlace {
  /** Last row of the page, and the number of rows up to it; omitted: there was none. */
  readonly shown?: ShownRow;
}

/** Part of a list that grows at its beginning. */
export interface ListPart {
  readonly limit: number;
  readonly offset: number;
  /** That of the first page; null or omitted: this is the first one. */
  readonly snapshot?: ListSnapshot | null | undefined;
  /** Omitted: the list's own order. */
  readonly sort?: ListSort | undefined;
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
  sort?: ListSort,
): ListSnapshot | null {
  return snapshot === null || last === undefined
    ? snapshot
    : { ...snapshot, shown: { ...last, rows, ...(sort && { sort }) } };
}
