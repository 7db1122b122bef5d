import { ValidationError } from './errors.ts';
import type { Http, HttpRequest } from './http.ts';
import { oneOf, required, textsIn } from './json.ts';
import type { CallOptions, HashType, RequestedLevel } from './types.ts';

/** Options of a stamp. */
export interface StampOptions extends CallOptions {
  /** Name of the document on the validation page: at most 120 characters, no path. */
  readonly fileName?: string;
  /** Timeout of this call, ms; default 60000, enough for a large upload. */
  readonly timeoutMs?: number;
}

/** Signer of a prepared document: a person's newest phone that can sign, or one phone. */
export type PreparedSigner =
  | {
      /** `PNOMN-<civil id>`, a civil id or a registration number. */
      readonly id: string;
    }
  | {
      /** The phone. */
      readonly documentNumber: string;
    };

/** Options of preparing a document. */
export interface PrepareOptions extends StampOptions {
  /** Hash of the digest; default `SHA256`. */
  readonly hashType?: HashType;
  /** Lowest level of the signer's certificate; default `QUALIFIED`. */
  readonly certificateLevel?: RequestedLevel;
}

/** A document prepared for its citizen's signature. */
export interface PreparedDocument {
  /** UUID. */
  readonly preparedId: string;
  /** Digest to start the signature over, with {@link Sign.digestByDocument}; base64. */
  readonly digestB64: string;
  /** Hash of the digest. */
  readonly hashType: HashType;
  /** Phone that must sign. */
  readonly documentNumber: string;
  /** Serial number of the certificate that must sign, hexadecimal. */
  readonly certificateSerial: string;
  /**
   * Active content of the PDF, for example `JAVASCRIPT` or `HIDDEN_LAYERS`; the phone tells the citizen, too. Empty also
   * from services that do not look.
   */
  readonly warnings: readonly string[];
  /** RFC 3339. */
  readonly expiresAt: string;
}

/**
 * Turns signed PDFs into documents anybody can verify (specification, Session and stamp). Rejects
 * with {@link ApiError}: 404 `SESSION_NOT_FOUND`, 409 `SESSION_NOT_COMPLETE`, 413
 * `PAYLOAD_TOO_LARGE`, 415 or 422 not a PDF, encrypted or damaged, 422 `DIGEST_MISMATCH`; and with
 * {@link ValidationError} `DOCUMENT_ALTERED` when the response does not begin with the original.
 */
export interface Stamp {
  /**
   * Stamps the PDF whose digest the session signed: a validation page, the citizen's signature as
   * validation material, a PAdES-T signature with an RFC 3161 timestamp (contract §7). Possible
   * from `endResult` OK until the session's ten minutes end.
   *
   * @param pdf the original, byte for byte; at most `pdfSigning.maxInputBytes` of the discovery
   * document (25 MiB)
   * @returns the stamped PDF, checked to begin with the original
   */
  pdf(sessionId: string, pdf: Uint8Array, options?: StampOptions): Promise<Buffer>;
  /**
   * Prepares a PDF for the citizen's own PAdES signature: start a signature over its `digestB64` on
   * its `documentNumber`, with the same `hashType`, and finish it with `prepared`.
   */
  prepare(
    signer: PreparedSigner,
    pdf: Uint8Array,
    options?: PrepareOptions,
  ): Promise<PreparedDocument>;
  /**
   * Completes a prepared document with the citizen's signature.
   *
   * @param document the prepared document and its original
   * @returns the signed PDF, checked to begin with the original
   */
  prepared(
    sessionId: string,
    document: { readonly preparedId: string; readonly pdf: Uint8Array },
    options?: StampOptions,
  ): Promise<Buffer>;
}

/** Timeout of stamp calls, ms: a large document takes long to upload. */
export const STAMP_TIMEOUT_MS = 60_000;
const hashTypes = ['SHA256', 'SHA384', 'SHA512'] as const;

export function createStamp(http: Http): Stamp {
  /** Reads the stamped document, which must begin with the original. */
  async function stamped(
    sessionId: string,
    original: Uint8Array,
    request: Pick<HttpRequest, 'body' | 'query'>,
    { timeoutMs = STAMP_TIMEOUT_MS, signal }: StampOptions,
  ): Promise<Buffer> {
    const answer = await http.bytes({
      method: 'POST',
      route: '/signature/stamp/{sessionId}',
      params: { sessionId },
      timeoutMs,
      signal,
      ...request,
    });
    return beginningWith(original, answer);
  }

  return {
    pdf: (sessionId, pdf, options = {}) =>
      stamped(sessionId, pdf, { body: pdf, query: { fileName: options.fileName } }, options),

    prepare: async (signer, pdf, options = {}) => {
      const { fileName, hashType, certificateLevel, timeoutMs = STAMP_TIMEOUT_MS } = options;
      const answer = await http.json({
        method: 'POST',
        route: '/signature/prepare',
        query: {
          ...('id' in signer ? { signer: signer.id } : { documentNumber: signer.documentNumber }),
          fileName,
          hashType,
          certificateLevel,
        },
        body: pdf,
        timeoutMs,
        signal: options.signal,
      });
      return {
        preparedId: required(answer, 'preparedId'),
        digestB64: required(answer, 'digest'),
        hashType: oneOf(answer, 'hashType', hashTypes),
        documentNumber: required(answer, 'documentNumber'),
        certificateSerial: required(answer, 'certificateSerial'),
        warnings: textsIn(answer, 'warnings'),
        expiresAt: required(answer, 'expiresAt'),
      };
    },

    // The service stored the document: nothing is uploaded again.
    prepared: (sessionId, { preparedId, pdf }, options = {}) =>
      stamped(
        sessionId,
        pdf,
        { body: new Uint8Array(), query: { preparedId, fileName: options.fileName } },
        options,
      ),
  };
}

/**
 * Checks a returned document. @throws ValidationError DOCUMENT_ALTERED unless the original is a
 * prefix of it
 */
export function beginningWith(original: Uint8Array, document: Buffer): Buffer {
  const { length } = original;
  if (document.length > length && document.subarray(0, length).equals(original)) return document;
  throw new ValidationError(
    'DOCUMENT_ALTERED',
    'The document that came back does not begin with the original.',
  );
}
