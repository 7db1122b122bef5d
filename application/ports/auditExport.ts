import type { AuditFilter } from './auditTrail.ts';

/** The audit as text, in a stream: its size is no matter. */
export interface AuditExport {
  /**
   * CSV in UTF-8 with a header, the oldest first, all rows as of one moment. Cells that a spreadsheet would take for a
   * formula begin with an apostrophe. Resolves when the first bytes are there; who stops reading ends the query.
   *
   * @throws Unavailable(database)
   * @throws Overloaded while as many exports as are allowed run
   */
  csv(filter: AuditFilter): Promise<AsyncIterable<Uint8Array>>;
}
