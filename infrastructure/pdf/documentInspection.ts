import type { DocumentInspection } from '../../application/document/ports/documentInspection.ts';
import type { PdfPool } from './pdfPool.ts';

/** Inspection in worker threads. */
export function createDocumentInspection(pool: PdfPool): DocumentInspection {
  return {
    async warningsOf(document) {
      const result = await pool.run({ task: 'inspect', document });
      return 'warnings' in result ? result.warnings : ['UNREADABLE_PARTS'];
    },
    async recognise(document, signed) {
      const result = await pool.run({ task: 'recognise', document, signed });
      return 'recognised' in result ? result.recognised : { result: 'other' };
    },
  };
}
