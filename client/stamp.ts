import { ValidationError } from './errors.ts';
import type { Http } from './http.ts';
import type { CallOptions } from './types.ts';

/** Options of a stamp. */
export interface StampOptions extends CallOptions {
  /** The document's name on the validation page: at most 120 characters, no path. */
  readonly fileName?: string;
  /** Of this call, ms; default 60000: a large document takes its time to travel. */
  readonly timeoutMs?: number;
}

/** Turns signed PDFs into documents anybody can verify (specification, Session and stamp). */
export interface Stamp {
  /**
   * Stamps the PDF whose digest the session signed: a validation page, the citizen's signature as evidence, a PAdES-T
   * signature with an RFC 3161 timestamp (contract §7). Possible from `endResult` OK until the session's ten minutes end.
   *
   * @param pdf the original, byte for byte; at most `pdfSigning.maxInputBytes` of the discovery document (25 MiB)
   * @returns the stamped PDF, of which the original is a prefix: that is checked here
   * @throws ApiError 404 `SESSION_NOT_FOUND`, 409 `SESSION_NOT_COMPLETE`, 413 `PAYLOAD_TOO_LARGE`, 415 or 422 not a PDF,
   * encrypted or damaged, 422 `DIGEST_MISMATCH`
   * @throws ValidationError `DOCUMENT_ALTERED` when the answer does not begin with the original
   */
  pdf(sessionId: string, pdf: Uint8Array, options?: StampOptions): Promise<Buffer>;
}

const STAMP_TIMEOUT_MS = 60_000;

export function createStamp(http: Http): Stamp {
  return {
    async pdf(sessionId, pdf, { fileName, timeoutMs = STAMP_TIMEOUT_MS, signal } = {}) {
      const stamped = await http.bytes({
        method: 'POST',
        route: '/signature/stamp/{sessionId}',
        params: { sessionId },
        query: { fileName },
        body: pdf,
        timeoutMs,
        signal,
      });
      if (stamped.length <= pdf.length || !stamped.subarray(0, pdf.length).equals(pdf)) {
        throw new ValidationError(
          'DOCUMENT_ALTERED',
          'The stamped document does not begin with the original.',
        );
      }
      return stamped;
    },
  };
}
