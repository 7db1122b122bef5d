import type { RefusalCode } from '../../domain/shared/refusal.ts';

/** Why a PDF cannot be stamped. */
export type PdfFaultCode = Extract<
  RefusalCode,
  'NOT_A_PDF' | 'PDF_ENCRYPTED' | 'PDF_DAMAGED' | 'PDF_LOCKED' | 'PDF_NOT_SUPPORTED'
>;

/** What is wrong with a PDF somebody sent. The message says it to them and holds nothing of the file. */
export class PdfFault extends Error {
  override readonly name = 'PdfFault';
  readonly code: PdfFaultCode;

  constructor(code: PdfFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function damaged(message: string): PdfFault {
  return new PdfFault('PDF_DAMAGED', message);
}
