import type { RefusalCode } from '../../domain/shared/refusal.ts';

/** Reasons for refusing a PDF. */
export type PdfFaultCode = Extract<
  RefusalCode,
  'NOT_A_PDF' | 'PDF_ENCRYPTED' | 'PDF_DAMAGED' | 'PDF_LOCKED' | 'PDF_NOT_SUPPORTED'
>;

/** A fault in an uploaded PDF. The message is shown to the caller and quotes nothing of the file. */
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
