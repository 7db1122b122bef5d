/** A cell as text; `null` is SQL NULL. */
export type Cell = string | null;

/** Fills an empty table at the database's full speed. */
export interface BulkWriter {
  open(table: string, columns: readonly string[]): Promise<BulkWrite>;
}

export interface BulkWrite {
  /** Resolves when more rows may be written. */
  write(rows: readonly (readonly Cell[])[]): Promise<void>;
  /** Resolves when all rows are committed. */
  end(): Promise<void>;
  /** Aborts; no row is kept. */
  abort(): Promise<void>;
}
