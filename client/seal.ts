import type { Http } from './http.ts';
import { type Json, objectIn, required } from './json.ts';
import type { SessionApi } from './session.ts';
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
 * Seals for organizations (specification, Seal; contract §10): synchronous, without a citizen.
 * `orgEtsi` is `NTRMN-<register>`. All reject with {@link ForbiddenError} without the `SEAL`
 * permission, sealing and issuing also for an organization that is not on the relying party's list, and with an {@link ApiError} 404 for an unknown organization, 409 (`ORG_NOT_ACTIVE`
 * or `CONFLICT`) for one that is not ACTIVE or whose certificate is revoked or superseded.
 */
export interface Seal {
  /** Seals a raw digest, base64, of 32, 48 or 64 bytes (SHA-256, SHA-384, SHA-512). */
  digest(orgEtsi: string, digestB64: string, options?: CallOptions): Promise<SealResult>;
  /**
   * Seals a PDF: a validation page and a PAdES signature with timestamp. Rejects as {@link
   * Stamp.pdf} does, too.
   *
   * @returns the sealed PDF, checked to begin with the original
   */
  pdf(orgEtsi: string, pdf: Uint8Array, options?: StampOptions): Promise<Buffer>;
  /** Reads the active seal certificate. */
  certificate(orgEtsi: string, options?: CallOptions): Promise<SealCertificate>;
  /**
   * Generates the organization's seal key and issues its certificate, once an ADMIN of the organization has confirmed on
   * the phone, which it waits for. Rejects with an {@link ApiError} 409 when the ADMIN refuses.
   */
  issueCertificate(orgEtsi: string, options?: CallOptions): Promise<SealCertificate>;
}

export function createSeal(http: Http, session: Pick<SessionApi, 'waitForResult'>): Seal {
  const route = '/seal/certificate/{orgEtsi}';

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
          query: { fileName },
          body: pdf,
          timeoutMs,
          signal,
        }),
      ),
    certificate: async (orgEtsi, { signal } = {}) =>
      readCertificate(await http.json({ method: 'GET', route, params: { orgEtsi }, signal })),
    issueCertificate: async (orgEtsi, { signal } = {}) => {
      const asking = { method: 'POST', route, params: { orgEtsi }, signal } as const;
      const asked = await http.json(asking);
      const { sessionId } = asked;
      // Services before the confirmation answered at once.
      if (typeof sessionId !== 'string') return readCertificate(asked);
      await session.waitForResult(sessionId, { ...(signal && { signal }) });
      return readCertificate(await http.json({ ...asking, body: { sessionId } }));
    },
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
