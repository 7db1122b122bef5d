import { ValidationError } from './errors.ts';
import type { Http, HttpRequest } from './http.ts';
import { oneOf, required } from './json.ts';
import type { CallOptions, HashType, RequestedLevel } from './types.ts';

/** Options of a stamp. */
export interface StampOptions extends CallOptions {
  /** The document's name on the validation page: at most 120 characters, no path. */
  readonly fileName?: string;
  /** Of this call, ms; default 60000: a large document takes its time to travel. */
  readonly timeoutMs?: number;
}

/** Who will sign a prepared document: a person's newest phone that can, or one phone. */
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
  /** How the digest is made; default `SHA256`. */
  readonly hashType?: HashType;
  /** The least level the signer's certificate must have; default `QUALIFIED`. */
  readonly certificateLevel?: RequestedLevel;
}

/** A document that waits for its citizen's signature. */
export interface PreparedDocument {
  /** UUID. */
  readonly preparedId: string;
  /** What the signature is to be started over, by {@link Sign.digestByDocument}; base64. */
  readonly digestB64: string;
  /** How the digest was made. */
  readonly hashType: HashType;
  /** The phone that has to sign. */
  readonly documentNumber: string;
  /** Of the certificate that has to sign, hexadecimal. */
  readonly certificateSerial: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/**
 * Turns signed PDFs into documents anybody can verify (specification, Session and stamp). Rejections are of {@link ApiError}:
 * 404 `SESSION_NOT_FOUND`, 409 `SESSION_NOT_COMPLETE`, 413 `PAYLOAD_TOO_LARGE`, 415 or 422 not a PDF, encrypted or damaged,
 * 422 `DIGEST_MISMATCH`; and of {@link ValidationError} `DOCUMENT_ALTERED` when an answer does not begin with the original.
 */
export interface Stamp {
  /**
   * Stamps the PDF whose digest the session signed: a validation page, the citizen's signature as evidence, a PAdES-T
   * signature with an RFC 3161 timestamp (contract §7). Possible from `endResult` OK until the session's ten minutes end.
   *
   * @param pdf the original, byte for byte; at most `pdfSigning.maxInputBytes` of the discovery document (25 MiB)
   * @returns the stamped PDF, of which the original is a prefix: that is checked here
   */
  pdf(sessionId: string, pdf: Uint8Array, options?: StampOptions): Promise<Buffer>;
  /**
   * Prepares a PDF for the citizen's own PAdES signature: start a signature over its `digestB64` on its `documentNumber`, with
   * the same `hashType`, and finish it with `prepared`.
   */
  prepare(
    signer: PreparedSigner,
    pdf: Uint8Array,
    options?: PrepareOptions,
  ): Promise<PreparedDocument>;
  /**
   * The prepared document with the citizen's signature in it.
   *
   * @param document what was prepared, and the original it was prepared from
   * @returns the signed PDF, of which the original is a prefix: that is checked here
   */
  prepared(
    sessionId: string,
    document: { readonly preparedId: string; readonly pdf: Uint8Array },
    options?: StampOptions,
  ): Promise<Buffer>;
}

/** A large document takes its time to travel. */
export const STAMP_TIMEOUT_MS = 60_000;
const hashTypes = ['SHA256', 'SHA384', 'SHA512'] as const;

export function createStamp(http: Http): Stamp {
  /** The stamped document, which must begin with the original. */
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
          ...{ fileName, hashType, certificateLevel },
        },
        ...{ body: pdf, timeoutMs, signal: options.signal },
      });
      return {
        preparedId: required(answer, 'preparedId'),
        digestB64: required(answer, 'digest'),
        hashType: oneOf(answer, 'hashType', hashTypes),
        documentNumber: required(answer, 'documentNumber'),
        certificateSerial: required(answer, 'certificateSerial'),
        expiresAt: required(answer, 'expiresAt'),
      };
    },

    // The service kept the document: nothing is sent again.
    prepared: (sessionId, { preparedId, pdf }, options = {}) =>
      stamped(
        sessionId,
        pdf,
        { body: new Uint8Array(), query: { preparedId, fileName: options.fileName } },
        options,
      ),
  };
}

/** The document that came back. @throws ValidationError DOCUMENT_ALTERED unless the original is a prefix of it */
export function beginningWith(original: Uint8Array, document: Buffer): Buffer {
  const { length } = original;
  if (document.length > length && document.subarray(0, length).equals(original)) return document;
  throw new ValidationError(
    'DOCUMENT_ALTERED',
    'The document that came back does not begin with the original.',
  );
}
