import type { AuditFilter } from '../../../application/audit/ports/auditTrail.ts';

/** The audit as a stream of text, of any size. */
export interface AuditExport {
  /**
   * CSV in UTF-8 with a header, the oldest first, all rows as of one moment. Cells that a spreadsheet would take for a
   * formula begin with an apostrophe. Resolves with the first bytes; ending the read ends the query.
   *
   * @throws Unavailable(database)
   * @throws Overloaded beyond the limit of parallel exports
   */
  csv(filter: AuditFilter): Promise<AsyncIterable<Uint8Array>>;
}
