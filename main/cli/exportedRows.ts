import { UndecodableEvent } from '../../application/ports/faults.ts';
import type { StoredEvent } from '../../domain/merkle/hashTree.ts';
import { createOpenDecoding } from '../../infrastructure/codec/eventEncoding.ts';
import { readExport } from '../../infrastructure/export/exportFile.ts';
import { type AuditRow, auditRowOf } from '../../projections/audit/audit.ts';

/** Row of the audit that an exported event makes, without personal data. */
export interface ExportedRow {
  /** Null: the event is of a newer release, or cannot be read. */
  readonly row: AuditRow | null;
  /** Identifier of what caused the event: a session, an approval, a request. */
  readonly correlationId: string | null;
}

/** Reads the audit out of an exported log, many rows at a time, in constant memory. @throws Error when it cannot be read */
export async function* exportedRows(path: string): AsyncGenerator<readonly ExportedRow[]> {
  const { decodeWithoutPersonalData } = createOpenDecoding();

  function rowOf(event: StoredEvent | null): ExportedRow {
    try {
      if (event === null) return { row: null, correlationId: null };
      const recorded = decodeWithoutPersonalData(event);
      return { row: auditRowOf(recorded), correlationId: recorded.metadata.correlationId };
    } catch (error) {
      if (error instanceof UndecodableEvent) return { row: null, correlationId: null };
      throw error;
    }
  }

  for await (const lines of readExport(path)) yield lines.map(({ event }) => rowOf(event));
}
