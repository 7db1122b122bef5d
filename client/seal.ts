import type { Http } from './http.ts';
import { type Json, objectIn, required } from './json.ts';
import { beginningWith, STAMP_TIMEOUT_MS, type StampOptions } from './stamp.ts';
import type { CallOptions } from './types.ts';

/** A digest sealed with an organization's key. */
export interface SealResult {
  /** DER sequence, base64. */
  readonly signatureValueB64: string;
  /** `ecdsa-with-SHA256`, `-SHA384` or `-SHA512`, by the digest's length. */
  readonly signatureAlgorithm: string;
  /** The organization's seal certificate, DER, base64. */
  readonly certificateDerB64: string;
  /** `QUALIFIED` or `QSCD`. */
  readonly certificateLevel: string;
  /** RFC 3339. */
  readonly sealedAt: string;
}

/** An organization's active seal certificate. */
export interface SealCertificate {
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** Distinguished name. */
  readonly subjectDn: string;
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339. */
  readonly notAfter: string;
  /** `QUALIFIED` or `QSCD`. */
  readonly certificateLevel: string;
  /** DER, base64. */
  readonly certificateDerB64: string;
}

/**
 * Seals for organizations (specification, Seal; contract §10): synchronous, nobody is asked. `orgEtsi` is
 * `NTRMN-<register>`. All reject with {@link ForbiddenError} without the `SEAL` permission, and with an {@link ApiError} 404
 * for an unknown organization, 409 (`ORG_NOT_ACTIVE` or `CONFLICT`) for one that is not ACTIVE or whose certificate is
 * revoked or superseded.
 */
export interface Seal {
  /** Seals a raw digest, base64, of 32, 48 or 64 bytes (SHA-256, SHA-384, SHA-512). */
  digest(orgEtsi: string, digestB64: string, options?: CallOptions): Promise<SealResult>;
  /**
   * Seals a PDF: a validation page and a PAdES signature with timestamp. Rejects as {@link Stamp.pdf} does, too.
   *
   * @returns the sealed PDF, of which the original is a prefix: that is checked here
   */
  pdf(orgEtsi: string, pdf: Uint8Array, options?: StampOptions): Promise<Buffer>;
  /** The active seal certificate. */
  certificate(orgEtsi: string, options?: CallOptions): Promise<SealCertificate>;
  /** Makes the organization's seal key and issues its certificate. */
  issueCertificate(orgEtsi: string, options?: CallOptions): Promise<SealCertificate>;
}

export function createSeal(http: Http): Seal {
  const certificate =
    (method: 'GET' | 'POST'): Seal['certificate'] =>
    async (orgEtsi, { signal } = {}) =>
      readCertificate(
        await http.json({
          method,
          route: '/seal/certificate/{orgEtsi}',
          params: { orgEtsi },
          signal,
        }),
      );

  return {
    digest: async (orgEtsi, digestB64, { signal } = {}) =>
      readSeal(
        await http.json({
          method: 'POST',
          route: '/seal/{orgEtsi}',
          params: { orgEtsi },
          body: { digest: digestB64 },
          signal,
        }),
      ),
    pdf: async (orgEtsi, pdf, { fileName, timeoutMs = STAMP_TIMEOUT_MS, signal } = {}) =>
      beginningWith(
        pdf,
        await http.bytes({
          method: 'POST',
          route: '/seal/{orgEtsi}/pdf',
          params: { orgEtsi },
          ...{ query: { fileName }, body: pdf, timeoutMs, signal },
        }),
      ),
    certificate: certificate('GET'),
    issueCertificate: certificate('POST'),
  };
}

function readSeal(answer: Json): SealResult {
  const signature = objectIn(answer, 'signature');
  const cert = objectIn(answer, 'cert');
  return {
    signatureValueB64: required(signature, 'value'),
    signatureAlgorithm: required(signature, 'signatureAlgorithm'),
    certificateDerB64: required(cert, 'value'),
    certificateLevel: required(cert, 'certificateLevel'),
    sealedAt: required(answer, 'sealedAt'),
  };
}

function readCertificate(answer: Json): SealCertificate {
  return {
    serialNumber: required(answer, 'serialNumber'),
    subjectDn: required(answer, 'subjectDn'),
    notBefore: required(answer, 'notBefore'),
    notAfter: required(answer, 'notAfter'),
    certificateLevel: required(answer, 'certificateLevel'),
    certificateDerB64: required(objectIn(answer, 'cert'), 'value'),
  };
}
